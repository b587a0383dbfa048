// SPDX-License-Identifier: Apache-2.0
/** The commands of {@code talos} that call servers; {@link org.talos.cli.command.Talos} puts them under one root. */
@NullMarked
package org.talos.cli.command;

import org.jspecify.annotations.NullMarked;
