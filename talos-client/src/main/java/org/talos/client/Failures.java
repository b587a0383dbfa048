// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import org.talos.client.TalosClientException.Outcome;
import org.talos.client.transport.CallFailure;

/** How failures of the transport are told to programs. Immutable. */
final class Failures {
    private Failures() {}

    static TalosClientException told(CallFailure e) {
        return new TalosClientException(
                e.code(),
                e.surelyNotDone() ? Outcome.DID_NOT_HAPPEN : Outcome.UNKNOWN,
                e.retriable(),
                e.code() + ": " + e.getMessage(),
                e);
    }
}
