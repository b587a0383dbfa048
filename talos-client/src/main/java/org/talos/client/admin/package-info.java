// SPDX-License-Identifier: Apache-2.0
/**
 * The administration of topics, users, groups and quotas: {@link org.talos.client.admin.TalosAdmin},
 * {@link org.talos.client.admin.GroupAdmin}, {@link org.talos.client.admin.QuotaAdmin}, and the values that they
 * return.
 */
@NullMarked
package org.talos.client.admin;

import org.jspecify.annotations.NullMarked;
