// SPDX-License-Identifier: Apache-2.0
/** Calls for administrators: users, and the servers of a cluster. Run on the control workers; may block. */
@NullMarked
package org.talos.server.service.admin;

import org.jspecify.annotations.NullMarked;
