// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

/**
 * The compression of a put's messages. A program that cannot load the native library of Snappy or zstd, as where its
 * {@code java.io.tmpdir} is mounted with {@code noexec}, compresses by gzip instead, and logs that once.
 */
public enum Compression {
    /** No compression. */
    NONE,
    /** Fast; every SDK reads it. */
    SNAPPY,
    /** Small; every SDK reads it. */
    GZIP,
    /** Small and fast; for readers with newer SDKs. */
    ZSTD,
    /** Fastest; for readers with newer SDKs. */
    LZ4
}
