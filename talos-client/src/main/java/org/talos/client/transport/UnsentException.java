// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;

/** A request of which the server got only a part, or nothing, so that it could not execute it. Immutable. */
final class UnsentException extends IOException {
    private static final long serialVersionUID = 1;

    UnsentException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
