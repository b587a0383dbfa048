// SPDX-License-Identifier: Apache-2.0
/** The program of bin/talos that finds the classes for the class image of the client's commands. */
@NullMarked
package org.talos.cli.training;

import org.jspecify.annotations.NullMarked;
