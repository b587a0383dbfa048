// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.talos.common.Release;
import org.talos.common.auth.Authorization;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;

/**
 * Signs many requests to one path cheaply: what depends on the second is made once a second, what depends on the body,
 * its MD5 and the signature, is put into places that never move.
 *
 * <p>Confined: the loop's thread.
 */
public final class RequestSigner {
    static final int MD5_CHARACTERS = 32;
    static final int SIGNATURE_CHARACTERS = 28;

    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final String HMAC = "HmacSHA1";
    private static final int SEQUENCE = 1; // of each call: there is one in flight on a connection
    private static final String NO_MD5 = "-".repeat(MD5_CHARACTERS);
    private static final String NO_SIGNATURE = "+".repeat(SIGNATURE_CHARACTERS);

    private final String method;
    private final String path;
    private final String host;
    private final Credential credential;
    private final Mac mac;
    private long second = -1;
    private byte[] toSign = {};
    private int toSignMd5At;
    private String head = "";

    /** A signer of calls of one method, to one path of one host. */
    public RequestSigner(String method, String path, String host, Credential credential) {
        this.method = method;
        this.path = path;
        this.host = host;
        this.credential = credential;
        try {
            mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(credential.secret().getBytes(StandardCharsets.UTF_8), HMAC));
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has " + HMAC, e);
        }
    }

    /** The body of a call, as it is sent. Immutable. */
    public static final class Body {
        private final byte[] bytes;
        private final byte[] md5Hex; // of the bytes, in hexadecimal digits

        private Body(byte[] bytes, byte[] md5Hex) {
            this.bytes = bytes;
            this.md5Hex = md5Hex;
        }

        /** Writes a call; the request is null if the method has no argument. */
        public static Body of(String method, @Nullable TBase<?, ?> request) {
            byte[] bytes = encoded(method, request);
            return new Body(bytes, RequestSignature.md5Hex(bytes).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Returns a call as it is sent; the request is null if the method has no argument. */
    public static byte[] encoded(String method, @Nullable TBase<?, ?> request) {
        try {
            List<ByteBuffer> parts = Envelope.call(ThriftEncoding.COMPACT, method, SEQUENCE, request);
            ByteBuffer whole = ByteBuffer.allocate(
                    parts.stream().mapToInt(ByteBuffer::remaining).sum());
            parts.forEach(whole::put);
            return whole.array();
        } catch (TException e) {
            throw new IllegalStateException("a call that cannot be written: " + method, e);
        }
    }

    /**
     * Writes a whole request, signed in the current second.
     *
     * @param room buffer to write into; its content is lost
     * @return the request from position to limit, in the same buffer or in a larger one
     */
    public ByteBuffer request(Body body, ByteBuffer room) {
        turnTo(System.currentTimeMillis() / 1_000);
        byte[] start = (head + body.bytes.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        int length = start.length + body.bytes.length;
        ByteBuffer request = room.capacity() < length ? ByteBuffer.allocateDirect(2 * length) : room;
        request.clear().put(start).put(body.bytes).flip();
        request.put(md5At(), body.md5Hex);
        request.put(signatureAt(), sign(body.md5Hex));
        return request;
    }

    /** Updates the head to the current second; returns whether it has changed. */
    public boolean turnTo(long nowSecond) {
        if (nowSecond == second) {
            return false;
        }
        second = nowSecond;
        String date = HTTP_DATE.format(Instant.ofEpochSecond(nowSecond));
        String contentType = ThriftEncoding.COMPACT.contentType();
        String text = RequestSignature.stringToSign(
                "POST",
                path,
                null,
                Map.of(
                        "Content-Type",
                        List.of(contentType),
                        RequestSignature.CONTENT_MD5,
                        List.of(NO_MD5),
                        RequestSignature.DATE,
                        List.of(date),
                        RequestSignature.TIMESTAMP,
                        List.of(Long.toString(nowSecond))));
        toSign = text.getBytes(StandardCharsets.UTF_8);
        toSignMd5At = text.indexOf(NO_MD5);
        head = "POST " + path + "?id=00000000&type=" + method + " HTTP/1.1\r\nHost: " + host
                + "\r\nUser-Agent: Talos-Bench/" + Release.version() + "\r\nContent-Type: " + contentType
                + "\r\n" + RequestSignature.TIMESTAMP + ": " + nowSecond
                + "\r\n" + RequestSignature.DATE + ": " + date
                + "\r\n" + RequestSignature.CONTENT_MD5 + ": " + NO_MD5
                + "\r\n" + RequestSignature.AUTHORIZATION + ": "
                + new Authorization(Authorization.GALAXY_V3, credential.keyId(), NO_SIGNATURE).header()
                + "\r\nContent-Length: ";
        return true;
    }

    /** The head's text up to the length, with nothing yet at {@link #md5At} and {@link #signatureAt}. */
    public String head() {
        return head;
    }

    /** The second for which the head was made. */
    long second() {
        return second;
    }

    /** Returns the index in the head of the body's MD5, in hexadecimal digits. */
    public int md5At() {
        return head.indexOf(NO_MD5);
    }

    /** Returns the index in the head of the signature. */
    public int signatureAt() {
        return head.indexOf(NO_SIGNATURE);
    }

    /** The signature over a body's MD5, in the head's second. */
    public byte[] sign(byte[] md5Hex) {
        System.arraycopy(md5Hex, 0, toSign, toSignMd5At, MD5_CHARACTERS);
        return Base64.getEncoder().encode(mac.doFinal(toSign));
    }
}
