#!/bin/sh
# Sourced by dracut when udev runs, and before it announces devices.
sh /usr/lib/keydebounce/initramfs start
