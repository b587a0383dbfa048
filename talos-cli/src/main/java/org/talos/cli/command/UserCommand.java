// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.Surroundings;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.UserDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Adds, lists and removes users with their keys; for administrators.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "user",
        description = "Add, list and remove users.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false)
final class UserCommand {
    private final Surroundings surroundings;

    UserCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    private TalosAdmin admin(Connection connection) throws CommandException {
        return new TalosAdmin(connection.client(surroundings));
    }

    @Command(
            description = "Add a user and print the key: the secret is shown this once and never again. The output "
                    + "is a file for --credentials.",
            mixinStandardHelpOptions = true)
    void add(
            @Mixin Connection connection,
            @Parameters(paramLabel = "USER") String user,
            @Option(names = "--admin", description = "May do everything") boolean administrator,
            @Option(names = "--org", paramLabel = "ORG", description = "Member of an org, CL...") List<String> orgs,
            @Option(names = "--team", paramLabel = "TEAM", description = "Member of a team, CI...") List<String> teams,
            @Option(
                            names = "--own-key",
                            paramLabel = "FILE",
                            description = "Take this key instead of a new one: two lines, accessKey=... of 4 to 100 "
                                    + "of [A-Za-z0-9._-] and secretKey=... of at least 16 characters")
                    @Nullable
                    Path ownKey)
            throws TalosClientException, CommandException {
        TalosAdmin admin = admin(connection);
        NewCredential credential = ownKey == null
                ? admin.addUser(user, administrator, given(orgs), given(teams))
                : admin.addUser(user, administrator, given(orgs), given(teams), Connection.readKey(ownKey));
        List<String> text = List.of(
                "# user " + user + ": keep this; the secret is not shown again",
                "accessKey=" + credential.accessKey(),
                "secretKey=" + credential.secretKey());
        connection
                .output()
                .printDone(
                        surroundings,
                        new Documents.NewUser(user, credential.accessKey(), credential.secretKey()),
                        text);
    }

    /** The values of an option; the parser passes null for one that is missing. */
    private static List<String> given(@Nullable List<String> values) {
        return values == null ? List.of() : values;
    }

    @Command(description = "List all users.", mixinStandardHelpOptions = true)
    void list(@Mixin Connection connection) throws TalosClientException, CommandException, IOException {
        List<UserDescription> users = admin(connection).listUsers();
        List<String> text = new ArrayList<>();
        text.add("%-32s %-22s %s".formatted("USER", "ACCESS KEY", "ADMIN"));
        for (UserDescription user : users) {
            text.add("%-32s %-22s %s".formatted(user.userId(), user.keyId(), user.admin() ? "yes" : "no"));
        }
        connection.output().print(surroundings, Documents.Users.of(users), text);
    }

    @Command(description = "Remove a user; their key is refused from now on.", mixinStandardHelpOptions = true)
    void remove(
            @Mixin Connection connection,
            @Mixin Confirmation confirmation,
            @Parameters(paramLabel = "USER") String user)
            throws TalosClientException, CommandException, IOException {
        confirmation.require(surroundings, user, "the user " + user + " with their key");
        TalosAdmin admin = admin(connection);
        try {
            admin.removeUser(user);
        } catch (FatalException e) {
            if (isMissing(admin, user, e)) {
                throw CommandException.notThere("there is no user " + user);
            }
            throw e;
        }
        connection.output().printDone(surroundings, Documents.done("removed", "user", user), "removed " + user);
    }

    /** Whether a removal was refused for want of the user, for which the protocol has no code of its own. */
    private static boolean isMissing(TalosAdmin admin, String user, FatalException refusal)
            throws TalosClientException {
        return refusal.code().equals("INVALID_TOPIC_PARAMS")
                && admin.listUsers().stream().noneMatch(each -> each.userId().equals(user));
    }
}
