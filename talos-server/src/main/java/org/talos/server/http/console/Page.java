// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** A file as it is sent: in full, and compressed once and for all. Immutable. */
final class Page {
    private static final String TEXT = "text/plain; charset=utf-8";

    /** The types by the extension of a file's name, or by the whole name. */
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("html", "text/html; charset=utf-8"),
            Map.entry("js", "text/javascript; charset=utf-8"),
            Map.entry("mjs", "text/javascript; charset=utf-8"),
            Map.entry("css", "text/css; charset=utf-8"),
            Map.entry("json", "application/json"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("png", "image/png"),
            Map.entry("ico", "image/x-icon"),
            Map.entry("woff2", "font/woff2"),
            Map.entry("yaml", TEXT),
            Map.entry("cfg", TEXT),
            Map.entry("conf", TEXT),
            Map.entry("java", TEXT),
            Map.entry("sql", TEXT),
            Map.entry("thrift", TEXT),
            Map.entry("py", TEXT),
            Map.entry("ts", TEXT),
            Map.entry("LICENSE", TEXT));

    private static final String GZIP = "-gzip";
    private static final int DIGEST_BYTES = 12;

    private final String type;
    private final byte[] plain;
    private final byte @Nullable [] compressed;
    private final String digest;

    private Page(String type, byte[] plain, byte @Nullable [] compressed, String digest) {
        this.type = type;
        this.plain = plain;
        this.compressed = compressed;
        this.digest = digest;
    }

    /** Returns the content type of files of such a name; empty if none are sent. */
    static Optional<String> typeOf(String name) {
        String file = name.substring(name.lastIndexOf('/') + 1);
        return Optional.ofNullable(TYPES.get(file.substring(file.lastIndexOf('.') + 1)));
    }

    /**
     * A page of bytes, which belong to it from now on. Takes milliseconds for a large one, which it compresses.
     *
     * @param type of its content
     */
    static Page of(String type, byte[] bytes) {
        byte[] small = gzip(bytes);
        return new Page(type, bytes, small.length < bytes.length ? small : null, digest(bytes));
    }

    private static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream small = new ByteArrayOutputStream(bytes.length / 2);
        try (OutputStream out = new Gzip(small)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        return small.toByteArray();
    }

    /** A stream with the best compression: it is done once. Confined: the writing thread. */
    private static final class Gzip extends GZIPOutputStream {
        Gzip(OutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_COMPRESSION);
        }
    }

    /** A digest of bytes, in 24 hexadecimal digits. */
    static String digest(byte[] bytes) {
        return HexFormat.of().formatHex(sha256(bytes), 0, DIGEST_BYTES);
    }

    /** The digest by which a content security policy names a style. */
    static String base64Digest(byte[] bytes) {
        return Base64.getEncoder().encodeToString(sha256(bytes));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every JDK has SHA-256", e);
        }
    }

    String type() {
        return type;
    }

    /** Returns whether it is sent compressed to clients that accept that. */
    boolean isCompressible() {
        return compressed != null;
    }

    /** The bytes that are sent. */
    ByteBuffer bytes(boolean gzip) {
        byte[] small = compressed;
        return ByteBuffer.wrap(gzip && small != null ? small : plain).asReadOnlyBuffer();
    }

    /** Returns the tag of the bytes that are sent. */
    String etag(boolean gzip) {
        return '"' + digest + (gzip && compressed != null ? GZIP : "") + '"';
    }

    /**
     * Returns whether a client has it already, in either form.
     *
     * @param known the client's {@code If-None-Match}
     */
    boolean isKnownBy(Optional<String> known) {
        if (known.isEmpty()) {
            return false;
        }
        for (String each : known.get().split(",", -1)) {
            String tag = each.strip();
            String strong = tag.startsWith("W/") ? tag.substring(2) : tag;
            if (tag.equals("*") || strong.equals(etag(false)) || strong.equals(etag(true))) {
                return true;
            }
        }
        return false;
    }
}
