// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.ChangeUser;
import dev.redoma.model.wire.CreateUser;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.User;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// People; seen by operators, changed by admins. Thread-safe.
public final class Users {
    private final Api api;

    Users(Api api) {
        this.api = api;
    }

    public List<User> list() {
        Page<User> page = api.getList(Target.of("/v1/users"), Page.class, User.class);
        return page.items();
    }

    public User create(String name, @Nullable String tenant, String role) {
        return api.post(Target.of("/v1/users"), new CreateUser(name, tenant, role), User.class);
    }

    public User role(String id, String role) {
        return api.put(Target.of("/v1/users/", id, "/role"), new ChangeUser(role), User.class);
    }

    /// For good, with all keys of that person.
    public User disable(String id) {
        return api.delete(Target.of("/v1/users/", id), User.class);
    }
}
