// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessageType;
import org.jspecify.annotations.Nullable;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.EnvelopeHead;
import org.talos.common.wire.ThriftEncoding;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.LockWorkerResponse;
import org.talos.thrift.QueryWorkerResponse;
import org.talos.thrift.RenewResponse;

/** Answers of servers, as a loop hands them to its sources. Immutable. */
final class Answers {
    private Answers() {}

    static ByteBuffer registered(boolean success) throws TException {
        return answer(MemberCall.REGISTER, new LockWorkerResponse(success), null);
    }

    static ByteBuffer members(Map<String, List<Integer>> members) throws TException {
        return answer(MemberCall.LOOK, new QueryWorkerResponse(members), null);
    }

    static ByteBuffer locked(List<Integer> held, List<Integer> foreign) throws TException {
        return answer(MemberCall.LOCK, new LockPartitionResponse(held, foreign), null);
    }

    static ByteBuffer renewed(boolean success, List<Integer> lost) throws TException {
        return answer(MemberCall.RENEW, new RenewResponse(success, lost), null);
    }

    static ByteBuffer failed(MemberCall call) throws TException {
        GalaxyTalosException error = new GalaxyTalosException();
        error.setErrorCode(ErrorCode.OPERATION_FAILED);
        return answer(call, null, error);
    }

    /** Not at the beginning of its buffer, and without its array: sources must not depend on either. */
    private static ByteBuffer answer(
            MemberCall call, @Nullable TBase<?, ?> result, @Nullable GalaxyTalosException error) throws TException {
        EnvelopeHead head = new EnvelopeHead(call.method(), TMessageType.CALL, 1);
        List<ByteBuffer> parts = Envelope.reply(ThriftEncoding.COMPACT, head, result, error);
        ByteBuffer whole = ByteBuffer.allocate(
                7 + parts.stream().mapToInt(ByteBuffer::remaining).sum());
        whole.position(7);
        parts.forEach(whole::put);
        return whole.flip().position(7).slice().asReadOnlyBuffer();
    }
}
