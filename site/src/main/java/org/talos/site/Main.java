// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import java.io.IOException;
import java.nio.file.Path;

/** Writes the site of a source tree: {@code Main ROOT TARGET}. Confined: main. */
public final class Main {
    private Main() {}

    /** Writes the site. Fails if a page breaks a rule of {@link Site}. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            throw new IllegalArgumentException("two arguments are needed: the source tree, and where to write");
        }
        Sources sources = Sources.of(Path.of(arguments[0]));
        new Site(sources).write(Path.of(arguments[1]));
    }
}
