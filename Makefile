# SPDX-License-Identifier: GPL-2.0-only
# make module|demo|test|test-full|test-mutants|test-debug|test-suites|torture|bench|
# bench-apps|report|watch-kernels|clean; see CONTRIBUTING.md.

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

test-mutants:
	scripts/mutants

test-debug:
	scripts/test-debug

test-suites:
	scripts/test-suites

torture:
	MINUTES="$(MINUTES)" SEED="$(SEED)" KERNELS="$(KERNELS)" scripts/torture

bench:
	scripts/bench

bench-apps:
	scripts/bench-apps

report:
	scripts/report/page

watch-kernels:
	scripts/watch-kernels

clean:
	find module \( -name '*.o' -o -name '.*.cmd' -o -name '.*.d' \) -delete
	rm -rf module/*.ko module/*.mod module/*.mod.c module/probed.h module/targets.h \
		module/Module.symvers module/modules.order .cache/unit .cache/programs

.PHONY: all module demo test test-full test-mutants test-debug test-suites torture bench \
	bench-apps report watch-kernels clean
