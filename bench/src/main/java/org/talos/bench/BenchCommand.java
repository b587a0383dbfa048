// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

import picocli.CommandLine.Command;

/** The command {@code bench}, parent of all benchmarks. Immutable. */
@Command(name = "bench", description = "Measure.", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND")
final class BenchCommand {}
