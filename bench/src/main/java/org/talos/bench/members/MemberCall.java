// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.nio.ByteBuffer;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.talos.bench.load.RequestSigner;
import org.talos.common.auth.Credential;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;

/** The calls of the SDKs' members, and the one that they are compared with. Immutable. */
enum MemberCall {
    /** Makes the member one of its group. */
    REGISTER("lockWorker", "/v1/api/consumer"),
    /** Reads who is in the group and holds what. */
    LOOK("queryWorker", "/v1/api/consumer"),
    /** Locks a partition. */
    LOCK("lockPartition", "/v1/api/consumer"),
    /** Renews the membership and all locks. */
    RENEW("renew", "/v1/api/consumer"),
    /** Reads whether the topic still exists and has more partitions. */
    TOPIC("getDescribeInfo", "/v1/api/topic"),
    /** Reads no row: HTTP, the signature and Thrift alone. */
    VERSION("getServiceVersion", "/v1/api/consumer");

    private static final int SEQUENCE = 1; // as RequestSigner.Body has it

    private final String method;
    private final String path;

    MemberCall(String method, String path) {
        this.method = method;
        this.path = path;
    }

    /** Returns the method's name, which is also the name of the operation in reports. */
    String method() {
        return method;
    }

    /**
     * Returns a signer of such calls.
     *
     * @param host of the server, with port
     */
    RequestSigner signer(String host, Credential credential) {
        return new RequestSigner(method, path, host, credential);
    }

    /**
     * Reads an answer; returns whether it is a result, not an error. An answer that cannot be read is not a result: the
     * loop reports it with its bytes.
     *
     * @param body as {@link org.talos.bench.load.RequestSource#answered} has it
     * @param result filled from the answer
     */
    boolean reads(ByteBuffer body, TBase<?, ?> result) {
        byte[] bytes = new byte[body.remaining()];
        body.duplicate().get(bytes);
        try {
            return Envelope.readReply(
                            Wire.reader(ThriftEncoding.COMPACT, bytes, 0, bytes.length), method, SEQUENCE, result)
                    .isEmpty();
        } catch (TException e) {
            return false;
        }
    }
}
