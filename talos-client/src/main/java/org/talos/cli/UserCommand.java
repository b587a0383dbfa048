// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.PrintWriter;
import java.util.List;
import org.talos.client.NewCredential;
import org.talos.client.TalosClientException;
import org.talos.client.UserDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands about users, for administrators. Confined: the main thread. */
@Command(name = "user", description = "Add, list, remove users.")
final class UserCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which? Try: talos user --help");
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    @Command(name = "add", description = "Add a user; prints the key once.", mixinStandardHelpOptions = true)
    int add(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "USER") String name,
            @Option(names = "--admin", description = "May do everything.") boolean admin,
            @Option(names = "--org", description = "An org (CL…) the user belongs to.") List<String> orgs,
            @Option(names = "--team", description = "A team (CI…) the user belongs to.") List<String> teams)
            throws TalosClientException, CommandFailure {
        NewCredential key = server.admin().addUser(name, admin, orEmpty(orgs), orEmpty(teams));
        out().println("accessKey=" + key.accessKey());
        out().println("secretKey=" + key.secretKey());
        spec.commandLine().getErr().println("Keep the secret: it is shown this once.");
        return 0;
    }

    private static List<String> orEmpty(List<String> values) {
        return values == null ? List.of() : values;
    }

    @Command(name = "list", description = "All users and their keys.", mixinStandardHelpOptions = true)
    int list(@Mixin ServerOptions server) throws TalosClientException, CommandFailure {
        for (UserDescription user : server.admin().listUsers()) {
            out().println(user.userId() + "\t" + user.keyId() + (user.admin() ? "\tadmin" : ""));
        }
        return 0;
    }

    @Command(
            name = "remove",
            description = "Remove a user; the key is refused from now on.",
            mixinStandardHelpOptions = true)
    int remove(@Mixin ServerOptions server, @Parameters(paramLabel = "USER") String name)
            throws TalosClientException, CommandFailure {
        server.admin().removeUser(name);
        out().println("removed " + name);
        return 0;
    }
}
