# SPDX-License-Identifier: GPL-2.0
#
#   make                       module for both kernels, and the tools
#   make KVER=6.1 modules      for one kernel: 6.1, 6.12 (the newest in the package index), debug, or a full release
#   make demo                  two machines, nginx and wrk over TCP and over SMC-R
#   make check                 the tests, within an hour; make check-full: all of them in full
#   make check-debug           those in virtual machines under a kernel with KASAN, lockdep and kmemleak
#   make install          the module for the running kernel (or KVER), and the tools; DESTDIR, PREFIX; make uninstall
#   make deb              Debian packages smcx-dkms and smcx-tools in build/deb
#   make check-packages   two Debian machines that install them, serve and fetch a page over SMC, and purge them (root)
#   make in-tree LINUX=<tree> [O=<build folder>]     place the sources into a kernel tree and build them there; BOOT=1: and boot it
#   make check-patches    kernels 6.1 and 6.12 without CONFIG_SMC, with patches/: build, boot, data over SMC
#   make clean
#
# Each target installs the Debian packages it lacks (selftests/vm/deps.sh) and says so, except in-tree without BOOT=1:
# what building a kernel takes is yours to choose.

BUILD := $(CURDIR)/build
VM := selftests/vm
KERNELS := 6.1 6.12
INSTALL := BUILD=$(BUILD) DESTDIR=$(DESTDIR) PREFIX=$(or $(PREFIX),/usr/local) userspace/packaging/install.sh

all: modules tools

ifeq ($(KVER),)
modules module:
	@for kver in $(KERNELS); do $(MAKE) --no-print-directory KVER=$$kver module || exit 1; done
else
# A short name stands for the newest release of that line.
RELEASE := $(if $(filter 6.1 6.12 debug,$(KVER)),$(shell $(VM)/kernel.sh release $(KVER)),$(KVER))
ifeq ($(RELEASE),)
$(error no kernel $(KVER) to build for: see above)
endif
KDIR ?= $(shell $(VM)/kernel.sh kdir $(RELEASE))
OUT := $(BUILD)/$(RELEASE)
# All processors, unless the caller has said how many.
JOBS = $(if $(findstring j,$(MAKEFLAGS)),,-j$(shell nproc))

modules module: $(OUT)/kmod
	@$(VM)/deps.sh build $(if $(findstring -amd64,$(RELEASE)),headers:$(RELEASE))
	@kmod/check-kernel.sh $(KDIR)
	$(MAKE) $(JOBS) -C $(KDIR) M=$(OUT)/kmod $(KFLAGS) modules
	@cp $(OUT)/kmod/smcx.ko $(OUT)/smcx.ko

# kbuild puts objects beside the sources, so each kernel gets a tree of links to them.
$(OUT)/kmod: FORCE
	@mkdir -p $@
	@cp -rsn $(CURDIR)/kmod/. $@/
	@find $@ -xtype l -delete
endif

tools:
	@$(VM)/deps.sh build
	$(MAKE) -C userspace BUILD=$(BUILD)

# Builds what is missing; so `make && sudo make install` compiles nothing as root.
install: RELEASE ?= $(shell uname -r)
install:
	@[ -e $(BUILD)/$(RELEASE)/smcx.ko ] || $(MAKE) --no-print-directory KVER=$(RELEASE) module
	@[ -e $(BUILD)/bin/smcx ] || $(MAKE) --no-print-directory tools
	@RELEASE=$(RELEASE) $(INSTALL) install module conf tools

uninstall:
	@RELEASE=$(RELEASE) $(INSTALL) uninstall module conf tools

in-tree:
	@BOOT=$(BOOT) userspace/packaging/in-tree.sh "$(LINUX)" $(O)

deb:
	@userspace/packaging/deb.sh

demo:
	@selftests/perf/demo.sh

check:
	@selftests/check.sh

check-full:
	@selftests/check.sh --full

check-debug:
	@selftests/check.sh --debug

check-packages:
	@selftests/packages/check.sh

check-patches:
	@selftests/patches/check.sh

clean:
	rm -rf $(BUILD)

FORCE:
.PHONY: all modules module tools install uninstall in-tree deb demo check check-full check-debug check-packages \
	check-patches clean FORCE
