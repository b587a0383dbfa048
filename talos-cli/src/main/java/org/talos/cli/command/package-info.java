// SPDX-License-Identifier: Apache-2.0
/** The commands of {@code talos} that call servers, under {@link org.talos.cli.command.Talos}. */
@NullMarked
package org.talos.cli.command;

import org.jspecify.annotations.NullMarked;
