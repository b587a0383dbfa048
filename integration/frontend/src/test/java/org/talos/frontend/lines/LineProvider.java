// SPDX-License-Identifier: Apache-2.0
package org.talos.frontend.lines;

import java.io.IOException;
import org.talos.server.frontend.FrontEnd;
import org.talos.server.frontend.FrontEndContext;
import org.talos.server.frontend.FrontEndProvider;
import org.talos.server.frontend.FrontEndSettings;

/** Creates the front end {@code lines}, with one key: {@code port}, 0 for a free one. Immutable. */
public final class LineProvider implements FrontEndProvider {
    static final String NAME = "lines";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void check(FrontEndSettings settings) {
        settings.requireOnly("port");
        var unused = port(settings);
    }

    static int port(FrontEndSettings settings) {
        return settings.number("port", 0, 0, 65_535);
    }

    @Override
    public FrontEnd create(FrontEndContext context) throws IOException {
        return new LineFrontEnd(context);
    }
}
