/* A library that plays libnvidia-ml.so.1: it answers what the file says that NVML_STUB names.
 *
 * NEWEST, given to the compiler, is the newest structure of fabric information that it knows (0: none); with OLD it
 * lacks the query of fields, as drivers once did. Lines of the file (see stub.py, which writes them):
 *
 *   init RETURN SECONDS                what nvmlInit returns, and after how long
 *   count N
 *   gpu N RETURN UUID                  what asking for the device returns
 *   fabric N RETURN STATE STATUS CLUSTER MASK SUMMARY CLIQUE
 *   newest N RETURN                    what asking by structure 4 returns
 *   clique N TYPE ID                   beside the one of fabric, for structure 4
 *   field N SCOPE FIELD RETURN TYPE VALUE
 *   fields N RETURN                    what asking for any field returns
 *   link N NUMBER ACTIVE RECOVERY CRC  for drivers without fields
 *
 * The file NVML_STUB.log gets a letter for every initialisation (i) and shutdown (s).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NEWEST
#define NEWEST 4
#endif
#define SUCCESS 0
#define UNINITIALIZED 1
#define INVALID_ARGUMENT 2
#define NOT_SUPPORTED 3
#define VERSION_MISMATCH 25
#define GPUS 64

typedef unsigned int u32;
typedef struct { u32 field, scope; long long timestamp, latency; u32 type, answer; unsigned long long value; } field_value;
typedef struct { unsigned char type; u32 id; } clique;
typedef struct { unsigned char cluster[16]; u32 status, clique; unsigned char state; } fabric_1;
typedef struct { u32 version; unsigned char cluster[16]; u32 status, clique; unsigned char state; u32 mask; } fabric_2;
typedef struct {
    u32 version; unsigned char cluster[16]; u32 status, clique; unsigned char state; u32 mask; unsigned char summary;
} fabric_3;
typedef struct {
    unsigned char cluster[16]; u32 status; clique cliques[64]; u32 number; unsigned char state; u32 mask;
    unsigned char summary;
} fabric_4;

typedef struct {
    u32 answer, fields, newest, fabric, state, status, mask, summary, clique, more;
    int known;
    char uuid[96];
    unsigned char cluster[16];
    clique cliques[8];
} gpu;

static gpu gpus[GPUS];
static field_value values[GPUS * 40 * 12];
static u32 of_gpu[GPUS * 40 * 12];
static struct { u32 gpu, number, active, recovery, crc; } links[GPUS * 36];
static u32 count, value_count, link_count, init_answer;
static int running;

static void note(const char *letter) {
    char path[4096];
    snprintf(path, sizeof path, "%s.log", getenv("NVML_STUB"));
    FILE *log = fopen(path, "a");
    if (log) { fputs(letter, log); fclose(log); }
}

static void read_cluster(gpu *one, const char *text) {
    for (int at = 0; at < 16; at++) {
        u32 byte = 0;
        sscanf(text + 2 * at, "%2x", &byte);
        one->cluster[at] = (unsigned char)byte;
    }
}

static void read_line(const char *line) {
    u32 n, a, b, c, d, e, f;
    unsigned long long value;
    char text[96];
    if (sscanf(line, "init %u %u", &a, &b) == 2) { init_answer = a; sleep(b); }
    else if (sscanf(line, "count %u", &a) == 1) count = a;
    else if (sscanf(line, "gpu %u %u %95s", &n, &a, text) == 3 && n < GPUS) {
        gpus[n].known = 1; gpus[n].answer = a; strcpy(gpus[n].uuid, text);
    } else if (sscanf(line, "fabric %u %u %u %u %95s %u %u %u", &n, &a, &b, &c, text, &d, &e, &f) == 8) {
        gpu *one = &gpus[n % GPUS];
        one->fabric = a; one->state = b; one->status = c; one->mask = d; one->summary = e; one->clique = f;
        read_cluster(one, text);
    } else if (sscanf(line, "clique %u %u %u", &n, &a, &b) == 3) {
        gpu *one = &gpus[n % GPUS];
        one->cliques[one->more].type = (unsigned char)a; one->cliques[one->more++].id = b;
    } else if (sscanf(line, "field %u %u %u %u %u %llu", &n, &a, &b, &c, &d, &value) == 6) {
        field_value one = { b, a, 0, 0, d, c, value };
        of_gpu[value_count] = n; values[value_count++] = one;
    } else if (sscanf(line, "fields %u %u", &n, &a) == 2) {
        gpus[n % GPUS].fields = a;
    } else if (sscanf(line, "newest %u %u", &n, &a) == 2) {
        gpus[n % GPUS].newest = a;
    } else if (sscanf(line, "link %u %u %u %u %u", &n, &a, &b, &c, &d) == 5) {
        links[link_count].gpu = n; links[link_count].number = a; links[link_count].active = b;
        links[link_count].recovery = c; links[link_count++].crc = d;
    }
}

int nvmlInitWithFlags(u32 flags) {
    (void)flags;
    char line[512];
    memset(gpus, 0, sizeof gpus);
    count = value_count = link_count = init_answer = 0;
    FILE *file = fopen(getenv("NVML_STUB"), "r");
    if (!file) return 999;
    while (fgets(line, sizeof line, file)) read_line(line);
    fclose(file);
    if (init_answer == SUCCESS) { running++; note("i"); }
    return (int)init_answer;
}

int nvmlShutdown(void) { running--; note("s"); return SUCCESS; }

const char *nvmlErrorString(int code) { (void)code; return "an error of the stub"; }

int nvmlDeviceGetCount_v2(u32 *told) { *told = count; return running > 0 ? SUCCESS : UNINITIALIZED; }

int nvmlDeviceGetHandleByIndex_v2(u32 index, void **handle) {
    if (running <= 0) return UNINITIALIZED;
    if (index >= count || !gpus[index].known) return INVALID_ARGUMENT;
    *handle = &gpus[index];
    return (int)gpus[index].answer;
}

int nvmlDeviceGetUUID(gpu *one, char *text, u32 length) {
    snprintf(text, length, "%s", one->uuid);
    return SUCCESS;
}

/* What nvml.h keeps in one byte the bindings read as four: the padding holds what happened to be there. */
#define STAIN(place) memset((unsigned char *)&(place) + 1, 0xA5, 3)

#if NEWEST >= 1
int nvmlDeviceGetGpuFabricInfo(gpu *one, fabric_1 *told) {
    if (one->fabric) return (int)one->fabric;
    memcpy(told->cluster, one->cluster, 16);
    told->status = one->status; told->clique = one->clique; told->state = (unsigned char)one->state;
    STAIN(told->state);
    return SUCCESS;
}
#endif

#if NEWEST >= 2
int nvmlDeviceGetGpuFabricInfoV(gpu *one, fabric_2 *told) {
    u32 version = told->version >> 24;
    if (version < 2 || version > (NEWEST < 3 ? NEWEST : 3)) return VERSION_MISMATCH;
    if ((told->version & 0xFFFFFF) != (version == 2 ? sizeof(fabric_2) : sizeof(fabric_3))) return VERSION_MISMATCH;
    if (one->fabric) return (int)one->fabric;
    memcpy(told->cluster, one->cluster, 16);
    told->status = one->status; told->clique = one->clique; told->state = (unsigned char)one->state;
    STAIN(told->state);
    told->mask = one->mask;
    if (version == 3) ((fabric_3 *)told)->summary = (unsigned char)one->summary;
    return SUCCESS;
}
#endif

#if NEWEST >= 4
int nvmlDeviceGetGpuFabricInfo_v4(gpu *one, fabric_4 *told) {
    if (one->newest || one->fabric) return (int)(one->newest ? one->newest : one->fabric);
    memcpy(told->cluster, one->cluster, 16);
    told->status = one->status; told->state = (unsigned char)one->state;
    told->mask = one->mask; told->summary = (unsigned char)one->summary;
    memcpy(told->cliques, one->cliques, sizeof one->cliques);
    told->number = one->more;
    return SUCCESS;
}
#endif

#ifndef OLD
int nvmlDeviceGetFieldValues(gpu *one, int wanted, field_value *told) {
    if (one->fields) return (int)one->fields;
    for (int at = 0; at < wanted; at++) {
        told[at].answer = NOT_SUPPORTED;
        for (u32 known = 0; known < value_count; known++)
            if (&gpus[of_gpu[known]] == one && values[known].field == told[at].field && values[known].scope == told[at].scope)
                told[at] = values[known];
    }
    return SUCCESS;
}
#endif

static int link_of(gpu *one, u32 number) {
    for (u32 at = 0; at < link_count; at++)
        if (&gpus[links[at].gpu] == one && links[at].number == number) return (int)at;
    return -1;
}

int nvmlDeviceGetNvLinkState(gpu *one, u32 number, u32 *active) {
    int at = link_of(one, number);
    if (at < 0) return INVALID_ARGUMENT;
    *active = links[at].active;
    return SUCCESS;
}

int nvmlDeviceGetNvLinkErrorCounter(gpu *one, u32 number, u32 kind, unsigned long long *told) {
    int at = link_of(one, number);
    if (at < 0) return INVALID_ARGUMENT;
    *told = kind == 1 ? links[at].recovery : links[at].crc;
    return SUCCESS;
}
