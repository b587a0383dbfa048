// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;

/** A request of which the server got a part at most, and so could not carry out. Immutable. */
final class UnsentException extends IOException {
    private static final long serialVersionUID = 1;

    UnsentException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
