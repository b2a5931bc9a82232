#!/bin/sh
# Sourced by dracut when udev has announced the devices.
sh /usr/lib/keydebounce/initramfs wait
