/* xla_registry.c - the layers that compiled JAX functions call, by their keys.
 *
 * XLA hands a handler its operands and attributes and nothing else: no module, no object of ours. A
 * compiled function may outlive every Python object, may come from a cache on disk or from another
 * process. So its attribute is a key made from the contents of model and settings, and the process
 * has one table from keys to layers, as XLA has one from names to handlers. That table is the one
 * writable global of the extension; a mutex guards it. A key that is not in it is an error, never a
 * stray pointer.
 *
 * Each layer has a stack of idle slots, so that concurrent calls do not wait for each other.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "xla.h"

enum { MOST_IDLE = 16 };

struct device {
    struct device *next;
    int number;
    const hn_device_layer *layer;
};

struct xla_entry {
    struct xla_entry *next;
    char *key;
    xla_kept kept;
    int keepers; /* number of registrations */
    int users;   /* calls that are running */
    xla_slot *idle;
    int idle_count;
    struct device *devices;
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t unused; /* some entry has no users */
    xla_entry *first;
} registry = {.mutex = PTHREAD_MUTEX_INITIALIZER, .unused = PTHREAD_COND_INITIALIZER};

/* ---- slots ---- */

static void destroy_slot(xla_slot *slot) {
    hn_pool_destroy(slot->pool);
    free(slot->tape);
    free(slot);
}

static xla_slot *make_slot(const xla_entry *entry, hn_error *error) {
    xla_slot *slot = calloc(1, sizeof *slot);
    if (!slot) {
        *error = (hn_error){.status = HN_NO_MEMORY, .text = "out of memory: a call's slot"};
        return NULL;
    }
    if (hn_pool_create(&slot->pool, entry->kept.layer, entry->kept.threads, error) == HN_OK)
        return slot;
    free(slot);
    return NULL;
}

xla_slot *xla_entry_take(xla_entry *entry, hn_error *error) {
    pthread_mutex_lock(&registry.mutex);
    xla_slot *slot = entry->idle;
    if (slot) {
        entry->idle = slot->next;
        entry->idle_count--;
    }
    pthread_mutex_unlock(&registry.mutex);
    return slot ? slot : make_slot(entry, error);
}

void xla_entry_put(xla_entry *entry, xla_slot *slot) {
    pthread_mutex_lock(&registry.mutex);
    bool room = entry->idle_count < MOST_IDLE;
    if (room) {
        slot->next = entry->idle;
        entry->idle = slot;
        entry->idle_count++;
    }
    pthread_mutex_unlock(&registry.mutex);
    if (!room)
        destroy_slot(slot);
}

/* ---- entries ---- */

const hn_layer *xla_entry_layer(const xla_entry *entry) {
    return entry->kept.layer;
}

const xla_kept *xla_entry_kept(const xla_entry *entry) {
    return &entry->kept;
}

/* The mutex is held. */
static const struct device *find_device(const xla_entry *entry, int number) {
    const struct device *device = entry->devices;
    while (device && device->number != number)
        device = device->next;
    return device;
}

const hn_device_layer *xla_entry_device(const xla_entry *entry, int number) {
    pthread_mutex_lock(&registry.mutex);
    const struct device *device = find_device(entry, number);
    pthread_mutex_unlock(&registry.mutex);
    return device ? device->layer : NULL; /* it stays while its entry does */
}

/* Two calls may have made it: the first counts. */
bool xla_entry_add_device(xla_entry *entry, int number, const hn_device_layer *layer) {
    struct device *device = malloc(sizeof *device);
    if (!device)
        return false;
    pthread_mutex_lock(&registry.mutex);
    if (find_device(entry, number)) {
        free(device);
    } else {
        *device = (struct device){.next = entry->devices, .number = number, .layer = layer};
        entry->devices = device;
    }
    pthread_mutex_unlock(&registry.mutex);
    return true;
}

/* Where the entry of a key hangs; *NULL: nowhere. The mutex is held. */
static xla_entry **place_of(xla_text key) {
    xla_entry **place = &registry.first;
    while (*place && (strlen((*place)->key) != key.length || memcmp((*place)->key, key.bytes, key.length) != 0))
        place = &(*place)->next;
    return place;
}

static xla_text text_of(const char *string) {
    return (xla_text){.bytes = string, .length = strlen(string)};
}

static xla_entry *make_entry(const char *key, const xla_kept *kept) {
    xla_entry *entry = calloc(1, sizeof *entry);
    char *copy = strdup(key);
    if (!entry || !copy) {
        free(entry);
        free(copy);
        return NULL;
    }
    *entry = (xla_entry){.key = copy, .kept = *kept, .keepers = 1};
    return entry;
}

static void destroy_entry(xla_entry *entry) {
    while (entry->idle) {
        xla_slot *slot = entry->idle;
        entry->idle = slot->next;
        destroy_slot(slot);
    }
    while (entry->devices) {
        struct device *device = entry->devices;
        entry->devices = device->next;
        free(device);
    }
    free(entry->key);
    free(entry);
}

bool xla_registry_keep(const char *key, const xla_kept *kept, bool *taken) {
    *taken = false;
    pthread_mutex_lock(&registry.mutex);
    xla_entry **place = place_of(text_of(key));
    bool known = *place != NULL;
    if (known) {
        (*place)->keepers++;
    } else {
        *place = make_entry(key, kept);
        *taken = *place != NULL;
    }
    pthread_mutex_unlock(&registry.mutex);
    return known || *taken;
}

/* Removes the entry after its last registration is dropped, and waits until no call uses it. The caller holds the
 * mutex. */
static xla_entry *take_out(xla_entry **place) {
    xla_entry *entry = *place;
    if (--entry->keepers > 0)
        return NULL;
    *place = entry->next;
    while (entry->users > 0)
        pthread_cond_wait(&registry.unused, &registry.mutex);
    return entry;
}

bool xla_registry_drop(const char *key, void **owner) {
    *owner = NULL;
    pthread_mutex_lock(&registry.mutex);
    xla_entry **place = place_of(text_of(key));
    bool known = *place != NULL;
    xla_entry *entry = known ? take_out(place) : NULL;
    pthread_mutex_unlock(&registry.mutex);
    if (entry) {
        *owner = entry->kept.owner;
        destroy_entry(entry);
    }
    return known;
}

/* What is found moves to the front: few layers of many are in use. */
xla_entry *xla_registry_find(xla_text key) {
    pthread_mutex_lock(&registry.mutex);
    xla_entry **place = place_of(key), *entry = *place;
    if (entry) {
        *place = entry->next;
        entry->next = registry.first;
        registry.first = entry;
        entry->users++;
    }
    pthread_mutex_unlock(&registry.mutex);
    return entry;
}

void xla_registry_release(xla_entry *entry) {
    pthread_mutex_lock(&registry.mutex);
    if (--entry->users == 0)
        pthread_cond_broadcast(&registry.unused);
    pthread_mutex_unlock(&registry.mutex);
}
