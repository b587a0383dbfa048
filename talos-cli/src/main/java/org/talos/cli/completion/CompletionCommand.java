// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.completion;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.ExitCodes;
import org.talos.cli.Profiles;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.admin.UserDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Prints the script by which a shell completes commands, options, their values, and names; and, for such a script, the
 * names.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "completion",
        description = "Print a script that completes commands, options, their values, and the names of topics, groups, "
                + "users and profiles. bash and zsh: source <(talos completion bash|zsh); fish: talos completion fish "
                + "| source.",
        mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
    /** The option of scripts. */
    public static final String NAMES = "--names";

    /** The longest wait for a list. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final CommandContext context;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "bash|zsh|fish", arity = "0..1", description = "Default: bash")
    private Optional<String> shell = Optional.empty();

    @Option(names = NAMES, hidden = true, description = "Print names, for a script; of groups after their topic")
    private Optional<NameKind> names = Optional.empty();

    @Mixin
    private Connection connection = new Connection();

    private enum Shell {
        BASH,
        ZSH,
        FISH;

        private List<String> lines(CommandTree tree) {
            return switch (this) {
                case BASH -> BashScript.lines(tree);
                case ZSH -> BashScript.zshLines(tree);
                case FISH -> FishScript.lines(tree);
            };
        }
    }

    /** Creates the command. */
    public CompletionCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException {
        if (names.isPresent()) {
            for (String name : names(names.get())) {
                context.line(name);
            }
            return ExitCodes.DONE;
        }
        Shell chosen = shell();
        CommandTree tree = CommandTree.of(spec.root().commandLine());
        context.print(String.join("\n", chosen.lines(tree)) + "\n");
        return ExitCodes.DONE;
    }

    private Shell shell() throws CommandException {
        String name = shell.orElse("bash");
        return switch (name) {
            case "bash" -> Shell.BASH;
            case "zsh" -> Shell.ZSH;
            case "fish" -> Shell.FISH;
            default ->
                throw CommandException.usage("'" + name + "' is not a shell that is known (expected: bash, zsh, fish)");
        };
    }

    private Collection<String> names(NameKind kind) throws CommandException, TalosClientException {
        if (kind == NameKind.PROFILES) {
            return new Profiles(context).all().keySet();
        }
        TalosClient client = connection.noRetryClient(context, PATIENCE);
        return switch (kind) {
            case GROUPS -> shell.isPresent() ? new GroupAdmin(client).list(shell.get()) : List.of();
            case USERS ->
                new TalosAdmin(client)
                        .listUsers().stream().map(UserDescription::userId).toList();
            default ->
                new TalosAdmin(client)
                        .listTopics().stream().map(TopicDescription::name).toList();
        };
    }
}
