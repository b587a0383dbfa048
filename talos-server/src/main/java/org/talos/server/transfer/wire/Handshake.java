// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The first bytes of a connection: both sides prove that they have the key without sending it, and derive a key for
 * each direction. Each proof and key covers the random numbers of both sides, so bytes recorded on another connection
 * prove nothing on this one. docs/formats/transfer.md has the layout.
 *
 * <p>Immutable.
 */
public final class Handshake {
    private static final int VERSION = 1;
    private static final int TLS_VERSION = 2; // only in a hello: like version 1, over TLS only
    /** Length of the accepting side's proof. */
    public static final int PROOF_BYTES = 32;

    private static final int CONNECTION_ID_BYTES = 16;

    private static final byte[] MAGIC = "TALOSTRF".getBytes(US_ASCII);
    private static final int RANDOM_BYTES = 32;
    private static final int HEADER_BYTES = 8 + 4;

    /** Length of the hello, which the accepting side sends first. */
    public static final int HELLO_BYTES = HEADER_BYTES + CONNECTION_ID_BYTES + RANDOM_BYTES;
    /** Length of the reply of the side that connected, proof included. */
    public static final int REPLY_BYTES = HEADER_BYTES + RANDOM_BYTES + PROOF_BYTES;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] hello;
    private final byte[] random; // of the side that connected
    private final TransferKey key;

    private Handshake(byte[] hello, byte[] random, TransferKey key) {
        this.hello = hello;
        this.random = random;
        this.key = key;
    }

    /**
     * Creates the hello of an accepted connection.
     *
     * @param tls whether all that follows must be under TLS
     */
    public static byte[] hello(boolean tls) {
        return ByteBuffer.allocate(HELLO_BYTES)
                .put(MAGIC)
                .putInt(tls ? TLS_VERSION : VERSION)
                .put(random(CONNECTION_ID_BYTES))
                .put(random(RANDOM_BYTES))
                .array();
    }

    /**
     * Reads the received hello, on the side that connected.
     *
     * @throws IOException it is not from a Talos server, or of another version
     */
    public static Handshake ofHello(byte[] hello, TransferKey key) throws IOException {
        return ofHello(hello, random(RANDOM_BYTES), key);
    }

    /** Like {@link #ofHello(byte[], TransferKey)}, with a given random number. */
    static Handshake ofHello(byte[] hello, byte[] random, TransferKey key) throws IOException {
        if (!requiresTls(hello)) {
            checkHeader(hello);
        }
        return new Handshake(hello, random, key);
    }

    /**
     * Reads the received reply, on the side that accepted the connection.
     *
     * @throws IOException it is of another version, or its proof was made with none of the accepted keys
     */
    public static Handshake ofReply(byte[] hello, byte[] reply, TransferKey key) throws IOException {
        checkHeader(reply);
        ByteBuffer rest = ByteBuffer.wrap(reply, HEADER_BYTES, REPLY_BYTES - HEADER_BYTES);
        byte[] random = new byte[RANDOM_BYTES];
        byte[] proof = new byte[PROOF_BYTES];
        rest.get(random).get(proof);
        for (TransferKey accepted : key.accepted()) {
            Handshake handshake = new Handshake(hello, random, accepted);
            if (handshake.isProvedBy(proof, "client")) {
                return handshake;
            }
        }
        throw anotherKey();
    }

    /** Returns whether the side that sent this hello continues under TLS only. */
    public static boolean requiresTls(byte[] hello) {
        return Arrays.equals(hello, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                && ByteBuffer.wrap(hello).getInt(MAGIC.length) == TLS_VERSION;
    }

    private static void checkHeader(byte[] received) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(received);
        byte[] magic = new byte[MAGIC.length];
        header.get(magic);
        if (!MessageDigest.isEqual(magic, MAGIC)) {
            throw new IOException("not a transfer connection of a Talos server");
        }
        int version = header.getInt();
        if (version != VERSION) {
            throw new IOException("transfer version: " + version + " (expected: " + VERSION + ")");
        }
    }

    /** Returns the reply of the side that connected, with its proof. */
    public byte[] reply() {
        return ByteBuffer.allocate(REPLY_BYTES)
                .put(MAGIC)
                .putInt(VERSION)
                .put(random)
                .put(code("client"))
                .array();
    }

    /** Returns the proof of the side that accepted the connection. */
    public byte[] serverProof() {
        return code("server");
    }

    /**
     * Checks the proof of the side that accepted the connection.
     *
     * @throws IOException it was not made with this key
     */
    public void checkServer(byte[] proof) throws IOException {
        if (!isProvedBy(proof, "server")) {
            throw anotherKey();
        }
    }

    private boolean isProvedBy(byte[] proof, String side) {
        return MessageDigest.isEqual(proof, code(side));
    }

    private static IOException anotherKey() {
        return new IOException("the other server has another transfer key");
    }

    /** Returns the code that authenticates requests. */
    public FrameMac requests() {
        return new FrameMac(code("requests"));
    }

    /** Returns the code that authenticates answers. */
    public FrameMac answers() {
        return new FrameMac(code("answers"));
    }

    /** Identifies this connection among all that the accepting server ever has. */
    public ByteBuffer connectionId() {
        return ByteBuffer.wrap(hello, HEADER_BYTES, CONNECTION_ID_BYTES).slice().asReadOnlyBuffer();
    }

    private byte[] code(String what) {
        return key.code(("talos transfer " + VERSION + " " + what).getBytes(US_ASCII), hello, random);
    }

    private static byte[] random(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return random;
    }
}
