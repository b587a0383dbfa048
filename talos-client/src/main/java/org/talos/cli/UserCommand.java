// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.client.NewCredential;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClientException;
import org.talos.client.UserDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Users and their keys; for administrators.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "user",
        description = "Add, list and remove users.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class UserCommand {
    private final Surroundings surroundings;

    UserCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    private TalosAdmin admin(Connection connection) throws CommandException {
        return new TalosAdmin(connection.endpoint(surroundings));
    }

    @Command(
            description = "Add a user and print the new key: the secret is shown this once and never again. The output "
                    + "is a file for --credentials.",
            mixinStandardHelpOptions = true)
    void add(
            @Mixin Connection connection,
            @Parameters(paramLabel = "USER") String user,
            @Option(names = "--admin", description = "May do everything") boolean administrator,
            @Option(names = "--org", paramLabel = "ORG", description = "Member of an org, CL...") List<String> orgs,
            @Option(names = "--team", paramLabel = "TEAM", description = "Member of a team, CI...") List<String> teams)
            throws TalosClientException, CommandException, IOException {
        NewCredential credential = admin(connection).addUser(user, administrator, given(orgs), given(teams));
        surroundings.line("# user " + user + ": keep this; the secret is not shown again");
        surroundings.line("accessKey=" + credential.accessKey());
        surroundings.line("secretKey=" + credential.secretKey());
    }

    /** The parser hands in null for an option that is not there. */
    private static List<String> given(@Nullable List<String> values) {
        return values == null ? List.of() : values;
    }

    @Command(description = "List all users.", mixinStandardHelpOptions = true)
    void list(@Mixin Connection connection) throws TalosClientException, CommandException, IOException {
        surroundings.line("%-32s %-22s %s".formatted("USER", "ACCESS KEY", "ADMIN"));
        for (UserDescription user : admin(connection).listUsers()) {
            surroundings.line("%-32s %-22s %s".formatted(user.userId(), user.keyId(), user.admin() ? "yes" : "no"));
        }
    }

    @Command(description = "Remove a user; their key is refused from now on.", mixinStandardHelpOptions = true)
    void remove(@Mixin Connection connection, @Parameters(paramLabel = "USER") String user)
            throws TalosClientException, CommandException, IOException {
        admin(connection).removeUser(user);
        surroundings.line("removed " + user);
    }
}
