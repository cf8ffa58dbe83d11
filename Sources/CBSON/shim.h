// libbson's types are over-aligned, so Swift sees them as opaque; these functions keep them on C's side.
#ifndef REEVE_CBSON_SHIM_H
#define REEVE_CBSON_SHIM_H

#include <bson/bson.h>
#include <stdlib.h>
#include <string.h>

/// One element of a document: where it lies, and its value if it is a number.
typedef struct {
    const char *key;
    uint32_t key_length;
    uint8_t type;
    uint8_t subtype;
    /// Bytes of a string (without its NUL), binary, document, array, object id or decimal.
    uint32_t length;
    const uint8_t *bytes;
    int64_t integer;
    double number;
} reeve_bson_element;

/// Reads the element at `*offset` (4 for the first) of a document that has been validated, and moves the offset on.
/// False at the end of the document.
static inline bool reeve_bson_next(const uint8_t *data, uint32_t length, uint32_t *offset, reeve_bson_element *element) {
    bson_iter_t iterator;
    memset(&iterator, 0, sizeof iterator);
    iterator.raw = data;
    iterator.len = length;
    iterator.next_off = *offset;
    if (!bson_iter_next(&iterator)) return false;
    *offset = iterator.next_off;
    element->key = bson_iter_key(&iterator);
    element->key_length = (uint32_t)strlen(element->key);
    element->type = (uint8_t)bson_iter_type(&iterator);
    element->subtype = 0;
    element->length = 0;
    element->bytes = NULL;
    element->integer = 0;
    element->number = 0;
    switch (bson_iter_type(&iterator)) {
    case BSON_TYPE_DOUBLE: element->number = bson_iter_double(&iterator); break;
    case BSON_TYPE_UTF8: element->bytes = (const uint8_t *)bson_iter_utf8(&iterator, &element->length); break;
    case BSON_TYPE_DOCUMENT: bson_iter_document(&iterator, &element->length, &element->bytes); break;
    case BSON_TYPE_ARRAY: bson_iter_array(&iterator, &element->length, &element->bytes); break;
    case BSON_TYPE_BINARY: {
        bson_subtype_t subtype;
        bson_iter_binary(&iterator, &subtype, &element->length, &element->bytes);
        element->subtype = (uint8_t)subtype;
        break;
    }
    case BSON_TYPE_OID:
        element->bytes = bson_iter_oid(&iterator)->bytes;
        element->length = 12;
        break;
    case BSON_TYPE_BOOL: element->integer = bson_iter_bool(&iterator); break;
    case BSON_TYPE_DATE_TIME: element->integer = bson_iter_date_time(&iterator); break;
    case BSON_TYPE_INT32: element->integer = bson_iter_int32(&iterator); break;
    case BSON_TYPE_INT64: element->integer = bson_iter_int64(&iterator); break;
    case BSON_TYPE_DECIMAL128:
        element->bytes = iterator.raw + iterator.d1;
        element->length = 16;
        break;
    default: break;
    }
    return true;
}

/// Room for a document that `bson_append_document_begin` will set up. Released with `free`.
static inline bson_t *reeve_bson_allocate_child(void) {
    return (bson_t *)aligned_alloc(__alignof__(bson_t), sizeof(bson_t));
}

static inline bool reeve_bson_append_decimal(bson_t *document, const char *key, int key_length, uint64_t low, uint64_t high) {
    bson_decimal128_t value = {.low = low, .high = high};
    return bson_append_decimal128(document, key, key_length, &value);
}

static inline bool reeve_bson_append_object_id(bson_t *document, const char *key, int key_length, const uint8_t *bytes) {
    bson_oid_t value;
    memcpy(value.bytes, bytes, 12);
    return bson_append_oid(document, key, key_length, &value);
}

static inline bool reeve_bson_append_binary(
    bson_t *document, const char *key, int key_length, uint8_t subtype, const void *bytes, uint32_t length) {
    static const uint8_t none = 0;
    return bson_append_binary(
        document, key, key_length, (bson_subtype_t)subtype, length ? (const uint8_t *)bytes : &none, length);
}

static inline const uint8_t *reeve_bson_bytes(const bson_t *document, uint32_t *length) {
    *length = document->len;
    return bson_get_data(document);
}

#endif
