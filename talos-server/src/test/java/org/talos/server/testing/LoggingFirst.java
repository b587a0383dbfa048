// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.slf4j.LoggerFactory;

/**
 * Begins logging before the first test: while one class begins it, another that runs beside it has a substitute for the
 * log that it wants to look at. Found by its name as a service.
 */
public final class LoggingFirst implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        var unused = LoggerFactory.getILoggerFactory();
    }
}
