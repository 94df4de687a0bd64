/** Indexes by which people are looked for, where the server and the database allow and need them. */
export const LOOKED_FOR = `-- Whoever is looked for by a part of a name or address. In a schema of its own, so that no report finds its functions; where the server lacks the extension
      -- or lets nobody make it, everybody is read (doctor says so).
      do $$
      begin
        create schema if not exists trigram;
        create extension if not exists pg_trgm schema trigram;
        create index core_user_parts_index on core_user using gin (
          email trigram.gin_trgm_ops, first_name trigram.gin_trgm_ops, last_name trigram.gin_trgm_ops);
      exception when others then
        raise notice 'no index for parts of names: %', sqlerrm;
      end $$;

      -- Whoever is looked for by how a name or an address begins (core/people/find-people.ts): the indexes above find them where the database sorts by signs. Where it
      -- sorts as a language does, what begins alike does not lie together in those.
      do $$
      begin
        if not (select datlocprovider = 'b' or datlocprovider = 'c' and datcollate in ('C', 'POSIX') from pg_database where datname = current_database()) then
          create index core_user_email_begins_index on core_user (lower(email) collate "C", id);
          create index core_user_first_name_begins_index on core_user (first_name collate "C", id);
          create index core_user_last_name_begins_index on core_user (last_name collate "C", id);
        end if;
      end $$;`;
