// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import org.talos.server.auth.Principal;

/**
 * The caller of a control-plane call. Immutable.
 *
 * @param memory for the answer
 * @param deadline of the call
 */
public record Caller(Principal principal, String userAgent, AnswerMemory memory, CallDeadline deadline) {
    /** Creates a caller without a deadline. */
    public Caller(Principal principal, String userAgent, AnswerMemory memory) {
        this(principal, userAgent, memory, CallDeadline.NONE);
    }

    /** Returns the caller of a call, without a deadline. */
    public static Caller of(CallContext context) {
        return new Caller(context.principal(), context.client().userAgent(), context.memory());
    }

    /** Returns the same caller with another deadline. */
    public Caller by(CallDeadline other) {
        return new Caller(principal, userAgent, memory, other);
    }
}
