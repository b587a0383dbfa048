// SPDX-License-Identifier: Apache-2.0
/**
 * What a front end is: a unit that serves clients by one protocol, with the operations that all front ends share. Entry
 * types: {@link org.talos.server.frontend.FrontEnd} and, for a front end in a module of its own,
 * {@link org.talos.server.frontend.FrontEndProvider}.
 */
@NullMarked
package org.talos.server.frontend;

import org.jspecify.annotations.NullMarked;
