// SPDX-License-Identifier: Apache-2.0
package org.talos.common;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Which Talos this is: the same in the command, in the server's log and in its metrics. Immutable. */
public final class Release {
    private static final String VERSION = read();

    private Release() {}

    /** Returns the version that the build was given. */
    public static String version() {
        return VERSION;
    }

    private static String read() {
        try (InputStream in = Release.class.getResourceAsStream("release.properties")) {
            if (in == null) {
                throw new LinkageError("the jar lacks release.properties");
            }
            Properties release = new Properties();
            release.load(in);
            return release.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
