// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * What somebody may do with a topic.
 *
 * <p>Immutable.
 *
 * @param grantee a user, team or org
 */
public record TopicRight(String grantee, boolean mayPut, boolean mayGet) {}
