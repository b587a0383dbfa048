// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.talos.server.boot.LogOutput;
import org.talos.server.boot.StartFailure;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.frontend.EnabledFrontEnds;
import org.talos.server.metadata.MetadataException;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.storage.StorageException;

/** Runs a server until the process is asked to stop. Confined: the main thread. */
public final class Main {
    /**
     * Exit code, EX_CONFIG of sysexits.h: a supervisor need not try again. Also of a process that another one has
     * replaced: started again, it would only take the server's id back.
     */
    public static final int WRONG_CONFIGURATION = 78;

    private Main() {}

    /** Takes the path of a configuration file, or nothing for the defaults; the environment overrides both. */
    public static void main(String[] arguments) throws InterruptedException {
        try {
            Map<String, String> environment = System.getenv();
            ServerConfig config = arguments.length == 0
                    ? ConfigLoader.load(environment)
                    : ConfigLoader.load(Path.of(arguments[0]), environment);
            var unused = EnabledFrontEnds.of(config.frontEnds()); // which start would refuse with another exit code
            LogOutput.check();
            TalosServer server = TalosServer.start(config);
            Runtime.getRuntime().addShutdownHook(new NamedThreads("stop").newThread(server::close));
            System.out.println("talos: serving " + config.http().address(server.port()));
            server.awaitEnd().ifPresent(why -> end(WRONG_CONFIGURATION, why));
        } catch (ConfigException e) {
            end(WRONG_CONFIGURATION, String.valueOf(e.getMessage()));
        } catch (IOException | MetadataException | StorageException | RuntimeException | Error e) {
            end(1, StartFailure.reported(e));
        }
    }

    /**
     * Prints the reason why the server does not run to standard error: the log may go to a file, or may not be set up
     * yet.
     */
    private static void end(int code, String sentence) {
        System.err.println("talos: " + sentence);
        System.exit(code);
    }
}
