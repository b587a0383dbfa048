// SPDX-License-Identifier: Apache-2.0
/**
 * Front ends: units that serve clients by one protocol each, with operations that all share. Entry types:
 * {@link org.talos.server.frontend.FrontEnd} and, for a front end in a module of its own,
 * {@link org.talos.server.frontend.FrontEndProvider}.
 */
@NullMarked
package org.talos.server.frontend;

import org.jspecify.annotations.NullMarked;
