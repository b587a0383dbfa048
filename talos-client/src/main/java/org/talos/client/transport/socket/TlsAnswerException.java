// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.IOException;

/** A request without TLS to a server that speaks TLS: it has carried out nothing. Immutable. */
public final class TlsAnswerException extends IOException {
    private static final long serialVersionUID = 1;

    /** Creates an answer of TLS. */
    public TlsAnswerException() {
        super("an answer of TLS");
    }
}
