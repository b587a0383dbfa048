// SPDX-License-Identifier: Apache-2.0
/** What bin/talos runs to learn which classes belong in the class image of the client's commands. */
@NullMarked
package org.talos.cli.training;

import org.jspecify.annotations.NullMarked;
