// SPDX-License-Identifier: Apache-2.0
package org.talos.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.TalosServer;

/**
 * The example projects, by the commands of their READMEs, with clients that are made of what a real server says of
 * itself. Each is skipped, and says so, where its language is missing.
 */
@Tag("full") // generator
@Tag("servers")
@Timeout(600)
class ExamplesIT {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"), "examples");
    private static final Path GENERATOR = ROOT.resolve("target/openapi-generator-cli.jar");
    private static final int LONGEST_SECONDS = 300;

    @TempDir
    private Path directory;

    private TalosServer server;
    private String said = ""; // by the last command

    @BeforeEach
    void start() throws Exception {
        server = TalosServer.embedded(directory.resolve("data"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private boolean run(Path project, String... command) throws Exception {
        Path output = Files.createTempFile(directory, "command", ".out");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        Properties key = new Properties();
        try (var in = Files.newBufferedReader(directory.resolve("data/admin.credentials"))) {
            key.load(in);
        }
        builder.environment().put("TALOS_ENDPOINT", server.uri().toString());
        builder.environment().put("TALOS_ACCESS_KEY", key.getProperty("accessKey"));
        builder.environment().put("TALOS_SECRET_KEY", key.getProperty("secretKey"));
        builder.environment().put("PYTHONPATH", "client");
        try {
            Process run = builder.start();
            boolean ended = run.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
            run.destroyForcibly();
            said = Files.readString(output);
            return ended && run.exitValue() == 0;
        } catch (IOException e) {
            said = e.toString();
            return false;
        }
    }

    /** Of what the last command said: where it failed, that is why. */
    private String lastLine() {
        return said.strip().lines().reduce((before, line) -> line).orElse("");
    }

    private void succeed(Path project, String... command) throws Exception {
        boolean succeeded = run(project, command);
        assertThat(succeeded).as("%s: %s", String.join(" ", command), said).isTrue();
    }

    /** A copy of a project, with the description of the server that runs. */
    private Path project(String name) throws Exception {
        Path project = directory.resolve(name);
        try (Stream<Path> all = Files.walk(ROOT.resolve(name))) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                Path copy = project.resolve(ROOT.resolve(name).relativize(each).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(each, copy);
            }
        }
        URI description = server.uri().resolve("/v1/openapi.json");
        String text = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(description).build(), BodyHandlers.ofString())
                .body();
        Files.writeString(project.resolve("openapi.json"), text, StandardCharsets.UTF_8);
        return project;
    }

    /** Runs the generator as the README says it. */
    private void generate(Path project) throws Exception {
        String command = Files.readString(project.resolve("README.md"))
                .replaceAll("(?s).*?(java -jar openapi-generator-cli.jar [^`]*?)\\n(?:python3|npm) .*", "$1")
                .replace("\\\n", " ");
        assertThat(command).startsWith("java -jar openapi-generator-cli.jar generate ");
        List<String> words = List.of(command.strip().split("\\s+"));
        String[] line = words.toArray(String[]::new);
        line[0] = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        line[2] = GENERATOR.toString();
        succeed(project, line);
    }

    @Test
    void pythonClientPutsReadsAndIsToldOfFailures() throws Exception {
        assumeTrue(
                run(directory, "python3", "-c", "import pydantic, urllib3, dateutil, typing_extensions"),
                "python3 with pydantic, urllib3, python-dateutil and typing-extensions is missing: " + lastLine());
        Path project = project("python");
        generate(project);

        succeed(project, "python3", "shop.py");

        assertThat(said)
                .contains("stored 30 messages", "billed 30 orders, lag 0", "404 topic-not-exist did-not-happen");
    }

    @Test
    void typeScriptClientIsCompiledPutsReadsAndIsToldOfFailures() throws Exception {
        assumeTrue(
                run(directory, "node", "-e", "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)"),
                "Node.js 20 or newer is missing: " + lastLine());
        Path project = project("typescript");
        assumeTrue(
                run(project, "npm", "install", "--no-audit", "--no-fund"),
                "npm cannot get the compiler: " + lastLine());
        generate(project);

        succeed(project, "npx", "tsc");
        succeed(project, "node", "build/shop.js");

        assertThat(said).contains("billed 30 orders, lag 0", "404 topic-not-exist did-not-happen");
    }
}
