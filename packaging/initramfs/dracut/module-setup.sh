#!/bin/bash
# Puts keydebounce and its configuration into the initial RAM disk: see keydebounce(1), “AT BOOT”.
# dracut sets what is used here.
# shellcheck disable=SC2154

# Whoever installs this wants it; “omit_dracutmodules” leaves it out.
check() {
  require_binaries /usr/bin/keydebounce || return 1
  /usr/bin/keydebounce check >/dev/null 2>&1 ||
    dwarn "the configuration of keydebounce has errors, which 'keydebounce check' shows"
}

installkernel() {
  # Whatever this machine has at the moment.
  hostonly='' instmods uinput evdev usbhid hid_generic
}

install() {
  local file folder
  inst_multiple /usr/bin/keydebounce cat grep mkdir modprobe sleep
  inst_simple /usr/lib/keydebounce/initramfs
  ln -sf /usr/bin/keydebounce "$initdir/usr/lib/keydebounce/@keydebounce"
  if [[ -x /usr/bin/setpriv ]]; then inst_binary /usr/bin/setpriv /usr/lib/keydebounce/setpriv; fi
  # What says whether a device is a keyboard, its links, and what its clone is.
  inst_rules 60-input-id.rules 60-persistent-input.rules
  for folder in /etc /usr/local/lib /usr/lib /lib; do
    if [[ -e $folder/udev/rules.d/69-keydebounce.rules ]]; then
      inst_rules "$folder/udev/rules.d/69-keydebounce.rules"
      break
    fi
  done
  # What the machine's own rules say of devices that are to be left alone, or to be taken.
  for file in /etc/udev/rules.d/*.rules; do
    if [[ -f $file ]] && grep -Eq 'KEYDEBOUNCE|ID_SEAT' "$file"; then inst_rules "$file"; fi
  done
  # What is in /run holds until the next start.
  for file in {/usr/lib,/etc}/keydebounce/{*.toml,*.d/*.toml}; do
    if [[ -f $file ]]; then
      inst_simple "$file"
    elif [[ $(readlink -f "$file") == /dev/null ]]; then
      # It takes the place of the vendor's.
      mkdir -p "$initdir${file%/*}"
      : >"$initdir$file"
    fi
  done
  if dracut_module_included systemd; then
    inst_simple "$moddir/keydebounce-initrd.service" "$systemdsystemunitdir/keydebounce-initrd.service"
    $SYSTEMCTL -q --root "$initdir" add-wants sysinit.target keydebounce-initrd.service
  else
    inst_hook pre-trigger 50 "$moddir/start.sh"
    inst_hook initqueue/settled 10 "$moddir/wait.sh"
  fi
}
