// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.net.ConnectException;

/** A proxy that wants a user and a password, or others: it has passed on nothing. Immutable; has no secret. */
final class ProxyLoginException extends ConnectException {
    private static final long serialVersionUID = 1;

    ProxyLoginException(String why) {
        super(why);
    }
}
