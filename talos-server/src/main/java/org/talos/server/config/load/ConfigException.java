// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

/** The configuration is wrong; the message says what, where, and what was expected. Immutable. */
public final class ConfigException extends Exception {
    ConfigException(String message) {
        super(message);
    }
}
