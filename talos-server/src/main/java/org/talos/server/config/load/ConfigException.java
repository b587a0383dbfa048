// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

/** The configuration is wrong; the message names place, value and expected range. Immutable. */
public final class ConfigException extends Exception {
    /** Says what is wrong. */
    public ConfigException(String message) {
        super(message);
    }
}
