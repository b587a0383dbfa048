// SPDX-License-Identifier: Apache-2.0
/** The way back after the loss of the administrator's key: {@link org.talos.server.boot.recovery.AdministratorKey}. */
@NullMarked
package org.talos.server.boot.recovery;

import org.jspecify.annotations.NullMarked;
