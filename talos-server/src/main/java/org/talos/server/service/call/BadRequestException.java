// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

/** The body is not a request of this path: HTTP 400, with this sentence. Immutable. */
public final class BadRequestException extends Exception {
    /** Creates a refusal with a sentence for the client. */
    public BadRequestException(String message) {
        super(message);
    }
}
