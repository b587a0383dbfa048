// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

/** The configuration is wrong; the message names place, value and expected range. Immutable. */
public final class ConfigException extends Exception {
    /** Creates an exception with a message that names the fault. */
    public ConfigException(String message) {
        super(message);
    }
}
