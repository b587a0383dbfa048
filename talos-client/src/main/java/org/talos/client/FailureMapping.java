// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import org.talos.client.TalosClientException.Outcome;
import org.talos.client.transport.CallFailure;
import org.talos.common.error.Exceptions;

/** Maps failures of the transport to the exceptions that programs see. Immutable. */
final class FailureMapping {
    private static final String CLIENT = "CLIENT";

    private FailureMapping() {}

    static TalosClientException of(CallFailure e) {
        String message = e.code() + ": " + e.getMessage();
        if (!e.surelyNotDone()) {
            return new UnknownOutcomeException(e.code(), e.retriable(), message, e);
        }
        return e.retriable() ? new RetriableException(e.code(), message, e) : new FatalException(e.code(), message, e);
    }

    /** Returns the exception for a call that changes nothing: such a call certainly had no effect. */
    static TalosClientException ofRead(Throwable thrown) {
        TalosClientException failure = of(thrown);
        if (failure.outcome() == Outcome.DID_NOT_HAPPEN) {
            return failure;
        }
        String message = String.valueOf(failure.getMessage());
        return failure.retriable()
                ? new RetriableException(failure.code(), message, failure)
                : new FatalException(failure.code(), message, failure);
    }

    /** Returns the exception for the failure of a future of the transport. */
    static TalosClientException of(Throwable thrown) {
        Throwable cause = Exceptions.unwrap(thrown);
        if (cause instanceof TalosClientException failure) {
            return failure;
        }
        if (cause instanceof CallFailure failure) {
            return of(failure);
        }
        return new UnknownOutcomeException(CLIENT, false, "the client failed: " + cause, cause);
    }
}
