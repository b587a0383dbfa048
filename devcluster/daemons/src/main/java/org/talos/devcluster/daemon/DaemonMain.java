// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Runs the main class that its arguments name. With {@code -Dtalos.devcluster.attached=true} the process ends when its
 * standard input does: its parent holds the other end, so not even a parent that is killed leaves it behind.
 *
 * <p>Confined: the main thread, and one that reads standard input.
 */
public final class DaemonMain {
    private DaemonMain() {}

    /**
     * @param arguments the main class, then its own arguments
     * @throws ReflectiveOperationException the class is missing, or has no main method
     */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        if (Boolean.getBoolean("talos.devcluster.attached")) {
            InputStream parent = System.in;
            Thread watch = new Thread(() -> haltAtEnd(parent), "parent");
            watch.setDaemon(true);
            watch.start();
        }
        String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
        try {
            Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(arguments[0] + " failed", e.getCause());
        }
    }

    private static void haltAtEnd(InputStream parent) {
        try {
            while (parent.read() >= 0) {
                // Nothing is ever written here: only the end counts.
            }
        } catch (IOException e) {
            // A broken pipe says the same as its end.
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }
}
