# SPDX-License-Identifier: GPL-2.0-only
# make module|demo|test|test-full|test-debug|bench|watch-kernels|clean; see CONTRIBUTING.md.

KDIR ?= /lib/modules/$(shell uname -r)/build

all: module

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/module modules

demo:
	scripts/demo

test:
	scripts/test

test-full:
	scripts/test --full

test-debug:
	scripts/test-debug

bench:
	scripts/bench

watch-kernels:
	scripts/watch-kernels

clean:
	find module \( -name '*.o' -o -name '.*.cmd' -o -name '.*.d' \) -delete
	rm -rf module/*.ko module/*.mod module/*.mod.c module/probed.h module/targets.h \
		module/Module.symvers module/modules.order .cache/unit .cache/programs

.PHONY: all module demo test test-full test-debug bench watch-kernels clean
