// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * The first bytes of a connection, by which both sides prove that they have the key without showing it, and from which
 * each direction gets a key of its own. docs/formats/transfer.md has them byte by byte. Both sides' random numbers are
 * in each proof and key, so nothing that was said on another connection counts on this one.
 *
 * <p>Immutable.
 */
public final class Greeting {
    static final int VERSION = 1;
    public static final int PROOF_BYTES = 32;
    static final int CONNECTION_ID_BYTES = 16;

    private static final byte[] MAGIC = "TALOSTRF".getBytes(US_ASCII);
    private static final int NUMBER_BYTES = 32;
    private static final int HEAD_BYTES = 8 + 4;

    /** What who accepts a connection says first. */
    public static final int HELLO_BYTES = HEAD_BYTES + CONNECTION_ID_BYTES + NUMBER_BYTES;
    /** What who connected answers: proof included. */
    public static final int REPLY_BYTES = HEAD_BYTES + NUMBER_BYTES + PROOF_BYTES;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] hello;
    private final byte[] number; // of who connected
    private final TransferKey key;

    private Greeting(byte[] hello, byte[] number, TransferKey key) {
        this.hello = hello;
        this.number = number;
        this.key = key;
    }

    /** What to say to who has just connected. */
    public static byte[] hello() {
        return ByteBuffer.allocate(HELLO_BYTES)
                .put(MAGIC)
                .putInt(VERSION)
                .put(random(CONNECTION_ID_BYTES))
                .put(random(NUMBER_BYTES))
                .array();
    }

    /**
     * Takes what the other side said first.
     *
     * @throws IOException it is no Talos server, or speaks another version
     */
    public static Greeting toAnswer(byte[] hello, TransferKey key) throws IOException {
        return toAnswer(hello, random(NUMBER_BYTES), key);
    }

    /** The same with a random number that is given. */
    public static Greeting toAnswer(byte[] hello, byte[] number, TransferKey key) throws IOException {
        checkHead(hello);
        return new Greeting(hello, number, key);
    }

    /**
     * Takes the answer to what this side said first.
     *
     * @throws IOException it is of another version, or its proof is not of this key
     */
    public static Greeting answered(byte[] hello, byte[] reply, TransferKey key) throws IOException {
        checkHead(reply);
        ByteBuffer rest = ByteBuffer.wrap(reply, HEAD_BYTES, REPLY_BYTES - HEAD_BYTES);
        byte[] number = new byte[NUMBER_BYTES];
        byte[] proof = new byte[PROOF_BYTES];
        rest.get(number).get(proof);
        Greeting greeting = new Greeting(hello, number, key);
        greeting.check(proof, "client");
        return greeting;
    }

    private static void checkHead(byte[] said) throws IOException {
        ByteBuffer head = ByteBuffer.wrap(said);
        byte[] magic = new byte[MAGIC.length];
        head.get(magic);
        if (!MessageDigest.isEqual(magic, MAGIC)) {
            throw new IOException("not a transfer connection of a Talos server");
        }
        int version = head.getInt();
        if (version != VERSION) {
            throw new IOException("transfer version: " + version + " (expected: " + VERSION + ")");
        }
    }

    /** What who connected says, with its proof. */
    public byte[] reply() {
        return ByteBuffer.allocate(REPLY_BYTES)
                .put(MAGIC)
                .putInt(VERSION)
                .put(number)
                .put(code("client"))
                .array();
    }

    /** The proof of who accepted the connection. */
    public byte[] serverProof() {
        return code("server");
    }

    /**
     * Checks the proof of who accepted the connection.
     *
     * @throws IOException it is not of this key
     */
    public void checkServer(byte[] proof) throws IOException {
        check(proof, "server");
    }

    private void check(byte[] proof, String side) throws IOException {
        if (!MessageDigest.isEqual(proof, code(side))) {
            throw new IOException("the other server has another transfer key");
        }
    }

    /** Seals requests. */
    public FrameMac requests() {
        return new FrameMac(code("requests"));
    }

    /** Seals answers. */
    public FrameMac answers() {
        return new FrameMac(code("answers"));
    }

    /** Names this connection among all that its acceptor ever has. */
    public ByteBuffer connectionId() {
        return connectionId(hello);
    }

    private static ByteBuffer connectionId(byte[] hello) {
        return ByteBuffer.wrap(hello, HEAD_BYTES, CONNECTION_ID_BYTES).slice().asReadOnlyBuffer();
    }

    private byte[] code(String what) {
        return key.code(("talos transfer " + VERSION + " " + what).getBytes(US_ASCII), hello, number);
    }

    private static byte[] random(int bytes) {
        byte[] number = new byte[bytes];
        RANDOM.nextBytes(number);
        return number;
    }
}
