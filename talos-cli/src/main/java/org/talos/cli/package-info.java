/**
 * The parts that all commands of {@code talos} share: options, output, errors and exit codes. The client's commands are
 * in {@code command}; other modules add theirs.
 */
@NullMarked
package org.talos.cli;

import org.jspecify.annotations.NullMarked;
