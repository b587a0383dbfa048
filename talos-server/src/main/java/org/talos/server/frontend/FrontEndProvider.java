// SPDX-License-Identifier: Apache-2.0
package org.talos.server.frontend;

import java.io.IOException;

/**
 * Creates a front end that the server does not know. {@link java.util.ServiceLoader} finds it: its module names the
 * class in {@code META-INF/services/org.talos.server.frontend.FrontEndProvider}. The front end is off unless the
 * configuration has {@code frontEnds.<name>.enabled: true}.
 *
 * <p>Thread-safe.
 */
public interface FrontEndProvider {
    /** Returns the name of the section in the configuration: lower-case letters and digits. */
    String name();

    /**
     * Checks the keys and values of the front end's section, before anything of the server is opened. Does not block.
     *
     * @throws IllegalArgumentException a key is unknown or a value is wrong; the message names both, and the expected
     *     value
     */
    void check(FrontEndSettings settings);

    /**
     * Creates the front end, which does not listen yet.
     *
     * @param context with settings that {@link #check} accepted
     * @throws IOException a file cannot be read
     */
    FrontEnd create(FrontEndContext context) throws IOException;
}
