// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.nio.ByteBuffer;
import org.talos.bench.load.RepeatedCalls;
import org.talos.bench.load.RequestSource;
import org.talos.thrift.RenewResponse;

/**
 * The renewals of one connection's members. An answer is good if it records the heartbeat and names no lost partition.
 * All good answers have the same bytes, so that only the first of them is decoded.
 *
 * <p>Confined: the loop's thread.
 */
final class Renewals implements RequestSource {
    private final RepeatedCalls calls;
    private ByteBuffer good = ByteBuffer.allocate(0);

    Renewals(RepeatedCalls calls) {
        this.calls = calls;
    }

    @Override
    public ByteBuffer next() {
        return calls.next();
    }

    @Override
    public Outcome answered(ByteBuffer body) {
        if (body.equals(good)) {
            return Outcome.DONE;
        }
        if (!isRenewed(body)) {
            return Outcome.WRONG;
        }
        good = ByteBuffer.allocate(body.remaining()).put(body.duplicate()).flip();
        return Outcome.DONE;
    }

    /** Returns whether an answer says that the member has all its locks. */
    static boolean isRenewed(ByteBuffer body) {
        RenewResponse answer = new RenewResponse();
        return MemberCall.RENEW.reads(body, answer)
                && answer.isHeartbeatSuccess()
                && answer.getFailedPartitionList().isEmpty();
    }
}
