// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.Endpoints;
import org.talos.cli.Output;
import org.talos.cli.Profile;
import org.talos.cli.Profiles;
import org.talos.client.admin.NewCredential;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Keeps servers and a key under a name, so that other commands need neither. No secret is an argument, none is printed.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "profile",
        description = "Keep servers and a key under a name, for --profile and for all that follows.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false)
final class ProfileCommand {
    private static final String ROW = "%-2s %-24s %-40s %s";

    private final CommandContext context;
    private final Profiles profiles;

    ProfileCommand(CommandContext context) {
        this.context = context;
        this.profiles = new Profiles(context);
    }

    /** Where the key of a profile is. Confined: the main thread. */
    static final class KeySource {
        @Option(
                names = "--credentials",
                required = true,
                paramLabel = "FILE",
                description = "Read the key from this file whenever it is needed")
        private Optional<Path> credentials = Optional.empty();

        @Option(
                names = "--key",
                required = true,
                paramLabel = "FILE",
                description = "Keep the key of this file in the profile, which nobody else may read; the file is not "
                        + "needed any more. /dev/stdin: standard input. Default: it is asked for")
        private Optional<Path> key = Optional.empty();
    }

    @Command(
            description = "Add a profile. The first one is used from then on, others with --use.",
            mixinStandardHelpOptions = true)
    void add(
            @Mixin Output output,
            @Parameters(paramLabel = "PROFILE") String name,
            @Option(
                            names = "--endpoint",
                            required = true,
                            paramLabel = "URL[,URL...]",
                            description = "The server, or several of a cluster")
                    String endpoint,
            @ArgGroup(multiplicity = "0..1") @Nullable KeySource source,
            @Option(names = "--use", description = "Use it from now on") boolean use,
            @Option(names = "--replace", description = "Also in place of one of that name") boolean replace)
            throws CommandException {
        Path file = profiles.file(name);
        Optional<Path> credentials = source == null ? Optional.empty() : source.credentials;
        Optional<NewCredential> key = Optional.empty();
        if (credentials.isEmpty()) {
            Optional<Path> from = source == null ? Optional.empty() : source.key;
            key = Optional.of(from.isPresent() ? Connection.readKey(from.get()) : asked());
        } else {
            Connection.readKey(credentials.get()); // unreadable files are reported now
        }
        boolean isFirst = profiles.used().isEmpty() && profiles.all().isEmpty();
        profiles.add(new Profile(name, Endpoints.of(endpoint), key, credentials.map(Path::toAbsolutePath)), replace);
        if (use || isFirst) {
            profiles.use(name);
        }
        output.printDone(
                context,
                Documents.done("added", "profile", name, "file", file.toString()),
                "added " + name
                        + (use || isFirst ? ", in use from now on" : "; talos profile use " + name + " uses it"));
    }

    /** Reads a typed key; the secret is not echoed. */
    @SuppressWarnings("SystemConsoleNull") // of a JDK before 22 it is, where standard output is no terminal
    private NewCredential asked() throws CommandException {
        Console console = System.console();
        if (!context.interactive() || console == null) {
            throw CommandException.usage(
                    "whose key? Give --credentials FILE or --key FILE; without a terminal it cannot" + " be asked for");
        }
        String accessKey = console.readLine("access key: ");
        char[] secretKey = console.readPassword("secret key (not shown): ");
        if (accessKey == null || accessKey.isBlank() || secretKey == null || secretKey.length == 0) {
            throw new CommandException("no key was typed: nothing is added");
        }
        return new NewCredential(accessKey.strip(), new String(secretKey).strip());
    }

    @Command(description = "List your profiles; * is the one in use.", mixinStandardHelpOptions = true)
    void list(@Mixin Output output) throws CommandException, IOException {
        Optional<String> used = profiles.used();
        List<Documents.ProfileShown> shown = new ArrayList<>();
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, ROW, "", "PROFILE", "ENDPOINT", "KEY"));
        for (Map.Entry<String, Optional<Profile>> each : profiles.all().entrySet()) {
            boolean inUse = used.equals(Optional.of(each.getKey()));
            Documents.ProfileShown one = each.getValue()
                    .map(profile -> Documents.ProfileShown.of(profile, accessKey(profile), inUse))
                    .orElseGet(() -> Documents.ProfileShown.unreadable(each.getKey(), inUse));
            shown.add(one);
            text.add(String.format(
                    Locale.ROOT,
                    ROW,
                    inUse ? "*" : "",
                    one.name(),
                    each.getValue().map(Profile::joined).orElse("cannot be read: talos profile show"),
                    one.accessKey().orElse("-")));
        }
        output.print(context, new Documents.ProfilesShown(shown), text);
    }

    private static Optional<String> accessKey(Profile profile) {
        try {
            return Optional.of(profile.accessKey());
        } catch (CommandException e) {
            return Optional.empty(); // its file has gone: the profile is listed all the same
        }
    }

    @Command(description = "Use a profile from now on.", mixinStandardHelpOptions = true)
    void use(@Mixin Output output, @Parameters(paramLabel = "PROFILE") String name) throws CommandException {
        profiles.use(name);
        output.printDone(context, Documents.done("used", "profile", name), "in use: " + name);
    }

    @Command(
            description = "Show a profile, without its secret; without a name the one that commands use now.",
            mixinStandardHelpOptions = true)
    void show(@Mixin Output output, @Parameters(paramLabel = "PROFILE", arity = "0..1") Optional<String> name)
            throws CommandException, IOException {
        Optional<String> used = profiles.used();
        String chosen = name.or(profiles::ofEnvironment)
                .or(() -> used)
                .orElseThrow(() -> CommandException.notThere("no profile is in use: talos profile add makes one"));
        Profile profile = profiles.read(chosen);
        Documents.ProfileShown shown =
                Documents.ProfileShown.of(profile, accessKey(profile), used.equals(Optional.of(chosen)));
        List<String> text = new ArrayList<>();
        text.add("profile      " + chosen + (shown.inUse() ? ", in use" : ""));
        text.add("endpoint     " + profile.joined());
        text.add("access key   " + shown.accessKey().orElse("cannot be read"));
        text.add("secret key   in "
                + profile.credentials().map(Path::toString).orElse(profiles.file(chosen) + ", and not shown"));
        output.print(context, shown, text);
    }

    @Command(description = "Remove a profile, and the key that it keeps.", mixinStandardHelpOptions = true)
    void remove(@Mixin Output output, @Mixin Confirmation confirmation, @Parameters(paramLabel = "PROFILE") String name)
            throws CommandException, IOException {
        confirmation.require(context, name, "the profile " + name + ", and the key that it keeps");
        profiles.remove(name);
        output.printDone(context, Documents.done("removed", "profile", name), "removed " + name);
    }
}
