// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.PrivateFile;
import org.talos.cli.RestCalls;
import org.talos.cli.argument.DurationConverter;
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
 * Adds, lists and removes users, and replaces their keys; for administrators.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "user",
        description = "Add, list and remove users, and replace their keys.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false)
final class UserCommand {
    private final CommandContext context;

    UserCommand(CommandContext context) {
        this.context = context;
    }

    private TalosAdmin admin(Connection connection) throws CommandException {
        return new TalosAdmin(connection.client(context));
    }

    @Command(
            description = "Add a user and print the key: the secret is shown this once and never again. The output "
                    + "is a file for --credentials; --out writes it where nobody else reads it.",
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
                    Path ownKey,
            @Option(
                            names = "--out",
                            paramLabel = "FILE",
                            description = "Write the key to this new file, mode 600, and print no secret")
                    Optional<Path> out)
            throws TalosClientException, CommandException {
        TalosAdmin admin = admin(connection);
        Optional<NewCredential> own = ownKey == null ? Optional.empty() : Optional.of(Connection.readKey(ownKey));
        if (out.isPresent()) {
            PrivateFile.create(out.get()); // before there is a key that could get lost
        }
        NewCredential credential = added(
                out,
                () -> own.isPresent()
                        ? admin.addUser(user, administrator, given(orgs), given(teams), own.get())
                        : admin.addUser(user, administrator, given(orgs), given(teams)));
        printKey(connection, user, credential, out, "added " + user);
    }

    @Command(
            description = "Give a user a new key and print it: the secret is shown this once and never again. The old "
                    + "key ends at once, or after --grace.",
            mixinStandardHelpOptions = true)
    void rotate(
            @Mixin Connection connection,
            @Parameters(paramLabel = "USER") String user,
            @Option(
                            names = "--grace",
                            paramLabel = "DURATION",
                            converter = DurationConverter.class,
                            description = "How long the old key still works, like 1h or 2d, 30d at most. Default: 0s")
                    Optional<Integer> grace,
            @Option(
                            names = "--out",
                            paramLabel = "FILE",
                            description = "Write the key to this new file, mode 600, and print no secret")
                    Optional<Path> out)
            throws TalosClientException, CommandException {
        RestCalls calls = new RestCalls(connection.endpoints(context));
        if (out.isPresent()) {
            PrivateFile.create(out.get()); // before there is a key that could get lost
        }
        NewCredential credential = added(out, () -> {
            JsonNode answer = calls.post("{\"graceSeconds\": " + grace.orElse(0) + "}", "users", user, "key");
            return new NewCredential(
                    answer.path("accessKey").asText(), answer.path("secretKey").asText());
        });
        printKey(connection, user, credential, out, "the key of " + user + " is replaced");
    }

    /** Prints a new key, or writes it to the file and prints the result. */
    private void printKey(Connection connection, String user, NewCredential credential, Optional<Path> out, String done)
            throws CommandException {
        List<String> lines = List.of(
                "# user " + user + ": keep this; the secret is not shown again",
                "accessKey=" + credential.accessKey(),
                "secretKey=" + credential.secretKey());
        if (out.isEmpty()) {
            Documents.NewUser document = new Documents.NewUser(
                    user, credential.accessKey(), Optional.of(credential.secretKey()), Optional.empty());
            connection.output().printDone(context, document, lines);
            return;
        }
        keep(out.get(), lines, done);
        connection
                .output()
                .printDone(
                        context,
                        new Documents.NewUser(user, credential.accessKey(), Optional.empty(), out.map(Path::toString)),
                        done + "; the key is in " + out.get() + ", which nobody else may read");
    }

    /** A call that makes a key. */
    private interface Adding {
        NewCredential run() throws TalosClientException;
    }

    private static NewCredential added(Optional<Path> out, Adding adding) throws TalosClientException {
        try {
            return adding.run();
        } catch (TalosClientException e) {
            out.ifPresent(file -> removeEmpty(file, e));
            throw e;
        }
    }

    /** Removes the empty file of a failed call. */
    private static void removeEmpty(Path file, Exception failure) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static void keep(Path file, List<String> lines, String done) throws CommandException {
        try {
            PrivateFile.write(file, lines);
        } catch (CommandException e) {
            throw CommandException.done(
                    done + ", but the new key is lost: " + e.getMessage() + "; 'talos user rotate' makes another", e);
        }
    }

    /** Returns the values of an option; the parser passes null for one that is missing. */
    private static List<String> given(@Nullable List<String> values) {
        return values == null ? List.of() : values;
    }

    @Command(description = "List all users.", mixinStandardHelpOptions = true)
    void list(@Mixin Connection connection) throws TalosClientException, CommandException, IOException {
        List<UserDescription> users = admin(connection).listUsers();
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, "%-32s %-22s %s", "USER", "ACCESS KEY", "ADMIN"));
        for (UserDescription user : users) {
            text.add(String.format(
                    Locale.ROOT, "%-32s %-22s %s", user.userId(), user.keyId(), user.admin() ? "yes" : "no"));
        }
        connection.output().print(context, Documents.Users.of(users), text);
    }

    @Command(description = "Remove a user; their key is refused from now on.", mixinStandardHelpOptions = true)
    void remove(
            @Mixin Connection connection,
            @Mixin Confirmation confirmation,
            @Parameters(paramLabel = "USER") String user)
            throws TalosClientException, CommandException, IOException {
        confirmation.require(context, user, "the user " + user + " with their key");
        TalosAdmin admin = admin(connection);
        try {
            admin.removeUser(user);
        } catch (FatalException e) {
            if (isMissing(admin, user, e)) {
                throw CommandException.notThere("no user '" + user + "'");
            }
            throw e;
        }
        connection.output().printDone(context, Documents.done("removed", "user", user), "removed " + user);
    }

    /** Returns whether a removal was refused for want of the user, for which the protocol has no code of its own. */
    private static boolean isMissing(TalosAdmin admin, String user, FatalException refusal)
            throws TalosClientException {
        return refusal.code().equals("INVALID_TOPIC_PARAMS")
                && admin.listUsers().stream().noneMatch(each -> each.userId().equals(user));
    }
}
