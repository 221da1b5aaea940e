// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_attach - a BPF program on a function of the kernel, for some time
 *
 *	bpf_attach kprobe|fentry|fexit FUNCTION MS
 *
 * The program counts its calls. Its exit code is 0 if it was attached, 1 if the kernel refused
 * to attach it, and 3 if the kernel can't.
 */
#include "common.h"
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define REFUSED		1
#define BTF_FILE	"/sys/kernel/btf/vmlinux"
#define KPROBE_TYPE	"/sys/bus/event_source/devices/kprobe/type"
#define LOG_BYTES	4096

#define INSN(opcode, dst, src, offset, value)				\
	((struct bpf_insn){ .code = (opcode), .dst_reg = (dst),		\
			    .src_reg = (src), .off = (offset), .imm = (value) })

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int make_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8,
		.max_entries = 1,
	};
	int map = bpf(BPF_MAP_CREATE, &attr);

	if (map < 0)
		die_environment("no BPF maps: %s", strerror(errno));
	return map;
}

static uint64_t read_map(int map)
{
	uint64_t value = 0;
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_fd = (uint32_t)map, .key = (uintptr_t)&key,
		.value = (uintptr_t)&value,
	};

	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return value;
}

/* Its id in the kernel's BTF is what fentry and fexit are attached by. */
static uint32_t btf_function(const char *function)
{
	const struct btf_header *header;
	const struct btf_type *type;
	const char *names, *end, *at;
	struct stat info;
	char *data;
	uint32_t id;
	int fd;

	fd = open(BTF_FILE, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &info))
		die_environment("no %s", BTF_FILE);
	data = malloc((size_t)info.st_size);
	for (ssize_t got, done = 0; data && done < info.st_size; done += got) {
		got = read(fd, data + done, (size_t)(info.st_size - done));
		if (got <= 0)
			die_environment("%s can't be read", BTF_FILE);
	}
	if (!data)
		die_environment("no memory for %s", BTF_FILE);
	close(fd);
	header = (const struct btf_header *)data;
	names = data + header->hdr_len + header->str_off;
	at = data + header->hdr_len + header->type_off;
	end = at + header->type_len;
	for (id = 1; at < end; id++) {
		size_t members;

		type = (const struct btf_type *)at;
		members = BTF_INFO_VLEN(type->info);
		at += sizeof(*type);
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_FUNC:
			if (!strcmp(names + type->name_off, function))
				return id;
			break;
		case BTF_KIND_INT:
		case BTF_KIND_VAR:
		case BTF_KIND_DECL_TAG:
			at += 4;
			break;
		case BTF_KIND_ARRAY:
			at += sizeof(struct btf_array);
			break;
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			at += members * sizeof(struct btf_member);
			break;
		case BTF_KIND_ENUM:
			at += members * sizeof(struct btf_enum);
			break;
		case BTF_KIND_ENUM64:
			at += members * 12;
			break;
		case BTF_KIND_FUNC_PROTO:
			at += members * sizeof(struct btf_param);
			break;
		case BTF_KIND_DATASEC:
			at += members * sizeof(struct btf_var_secinfo);
			break;
		}
	}
	say(STDERR_FILENO, "%s has no BTF\n", function);
	exit(REFUSED);
}

static int load(int map, union bpf_attr *attr)
{
	struct bpf_insn insns[] = {
		/* key = 0, on the stack */
		INSN(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		/* if the value is there: add 1 */
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, 0, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	static char log[LOG_BYTES];
	int program;

	attr->insns = (uintptr_t)insns;
	attr->insn_cnt = ARRAY_SIZE(insns);
	attr->license = (uintptr_t)"GPL";
	attr->log_buf = (uintptr_t)log;
	attr->log_size = sizeof(log);
	attr->log_level = 1;
	program = bpf(BPF_PROG_LOAD, attr);
	if (program < 0) {
		say(STDERR_FILENO, "not loaded: %s %s\n", strerror(errno), log);
		exit(REFUSED);
	}
	return program;
}

static int attach_kprobe(int map, const char *function)
{
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_KPROBE };
	struct perf_event_attr event = {
		.size = sizeof(event), .kprobe_func = (uintptr_t)function,
	};
	FILE *file = fopen(KPROBE_TYPE, "re");
	int fd;

	if (!file || fscanf(file, "%u", &event.type) != 1)
		die_environment("no perf events of kprobes");
	fclose(file);
	fd = (int)syscall(SYS_perf_event_open, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, load(map, &attr)) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -1;
	return fd;
}

static int attach_trampoline(int map, const char *function, enum bpf_attach_type type)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = type,
		.attach_btf_id = btf_function(function),
	};
	int program = load(map, &attr);

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

int main(int argc, char **argv)
{
	unsigned long ms;
	int fd, map;

	if (argc != 4)
		die_usage("bpf_attach kprobe|fentry|fexit FUNCTION MS");
	ms = parse_number("MS", argv[3], 0, 60000);
	map = make_map();
	if (!strcmp(argv[1], "kprobe"))
		fd = attach_kprobe(map, argv[2]);
	else if (!strcmp(argv[1], "fentry"))
		fd = attach_trampoline(map, argv[2], BPF_TRACE_FENTRY);
	else if (!strcmp(argv[1], "fexit"))
		fd = attach_trampoline(map, argv[2], BPF_TRACE_FEXIT);
	else
		die_usage("there is no '%s'", argv[1]);
	if (fd < 0) {
		say(STDERR_FILENO, "%s on %s: %s\n", argv[1], argv[2], strerror(errno));
		return REFUSED;
	}
	sleep_ms((unsigned int)ms);
	say(STDOUT_FILENO, "%s: %" PRIu64 " calls\n", argv[2], read_map(map));
	return STRESS_OK;
}
